// The registry of model families. A family is one file: a row with its names, and the function from
// the keys of a config.json to what the model computes, which refuses what it cannot say. No other
// file knows its name, except the registry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// A part of a tensor's name: ours, and how a family's Hugging Face files spell it.
struct TensorRename {
  std::string_view ours, theirs;
};

// Tensors [experts, n, k] that hold rows of every expert: the end of their name, and the names of the
// matrices in an expert, which have equal shares of the rows.
struct ExpertStackName {
  std::string_view theirs;
  std::vector<std::string_view> ours;
};

struct Family {
  std::string_view name;          // model_type of config.json
  std::string_view causal_class;  // what config.json's `architectures` names
  // What it may name as well: transformers has no class of its own for the family.
  std::string_view other_class = "";
  // general.architecture of GGUF files, "" when they use another family's.
  std::string_view gguf_name = "";
  bool predicts_further = false;  // files may hold more layers, which predict further tokens
  bool has_experts = false;       // distinguishes families that share a GGUF architecture
  // The converter moved rows of q and k from half to adjacent-pair order.
  bool gguf_interleaves_rope = false;
  // Hugging Face's files and GGUF files have those rows in adjacent-pair order.
  bool rotates_pairs = false;
  // Hugging Face's files, not GGUF files, store the weights of norms minus 1; fused rows of q, k
  // and v by key head; other names of tensors.
  bool norms_less_one = false;
  bool groups_qkv = false;
  std::vector<TensorRename> tensor_names = {};
  std::vector<ExpertStackName> expert_stacks = {};  // of Hugging Face's files
  // Defaults of the configuration class in transformers.
  std::optional<std::int32_t> bos_token_id = {};
  std::vector<std::int32_t> eos_token_ids = {};
  // Check keys.status() afterwards: where it failed, the result is no model.
  ModelSpec (*read)(ConfigReader& keys) = nullptr;
};

std::span<const Family* const> Families();
const Family* FindFamily(std::string_view model_type);
const Family* FindGgufFamily(std::string_view architecture, bool has_experts);
std::string FamilyNames();  // "llama, mistral, ..."

}  // namespace sglrun::model
