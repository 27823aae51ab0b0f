// One row of the registry of model families: the class defaults that a config.json may leave out,
// and what the family does differently from the plain decoder (norm, attention, norm, gated MLP).
// A new family is one file with such a row, and its line in registry.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/config.h"
#include "model/config_reader.h"

namespace sglrun::model {

// Defaults of the family's configuration class in transformers.
struct FamilyDefaults {
  std::int64_t hidden_size = 4096;
  std::int64_t intermediate_size = 11008;
  std::int64_t num_hidden_layers = 32;
  std::int64_t num_attention_heads = 32;
  std::optional<std::int64_t> num_key_value_heads = {};  // none: as many as num_attention_heads
  std::optional<std::int64_t> head_dim = {};             // none: hidden_size / num_attention_heads
  std::int64_t vocab_size = 32000;
  std::int64_t max_position_embeddings = 2048;
  std::optional<std::int32_t> bos_token_id = {};
  std::optional<std::int32_t> eos_token_id = {};
};

struct Family {
  std::string_view name;          // model_type of config.json
  std::string_view causal_class;  // what config.json's `architectures` names
  // general.architecture of GGUF files, "" when they use another family's.
  std::string_view gguf_name;
  // The converter moved rows of q and k from half to adjacent-pair order.
  bool gguf_interleaves_rope = false;
  FamilyDefaults defaults;
  // Sets what is true of every model of the family.
  void (*set_structure)(ModelConfig& config) = nullptr;
  // Reads the family's own keys of config.json; the common ones are already there.
  void (*read_keys)(ConfigReader& reader, ModelConfig& config) = nullptr;
};

std::span<const Family* const> Families();
const Family* FindFamily(std::string_view model_type);
const Family* FindGgufFamily(std::string_view architecture);
std::string FamilyNames();  // "llama, mistral, qwen2, qwen3"

// Windows as the Qwen classes have them: none unless use_sliding_window; then `layer_types`, or
// every layer from max_window_layers on.
void ReadQwenWindows(ConfigReader& reader, ModelConfig& config);

extern const Family kLlama;
extern const Family kMistral;
extern const Family kQwen2;
extern const Family kQwen3;

}  // namespace sglrun::model
