// Compares the tensors of a checkpoint with the weights that a model is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/families/family.h"
#include "model/files/stored_tensor.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

struct ExpectedTensor {
  std::string name;  // in Hugging Face files
  std::vector<std::int64_t> shape;
  RotatedRows rotated = {};
  FusedRows fused = {};
  bool is_norm = false;
};

// Embedding, layers, final norm, and the head unless it is tied.
std::vector<ExpectedTensor> ExpectedTensors(const ModelSpec& spec);

std::string ShapeText(const std::vector<std::int64_t>& shape);  // "[64, 32]"

// What the error sentences call the two sides.
struct TensorCheckNames {
  std::string model;   // the model as the user named it
  std::string config;  // "config.json", "the metadata"
};

// How a family's files hold some weights.
struct StoredForm {
  bool rope_in_pairs = false;   // rows that rotate are in the order of adjacent pairs
  bool qkv_in_groups = false;   // fused rows of q, k and v are in the order of key heads
  bool norms_less_one = false;  // weights of norms are stored less 1
  std::span<const TensorRename> names = {};

  // The file's spelling of a name of ours.
  std::string NameInFile(std::string name) const;
};

// Replaces each stack of experts by a tensor for each expert, "model.layers.3.mlp.experts.7.up_proj.weight".
// A stack of another number of experts than the specification has is an error.
Status SplitExpertStacks(const ModelSpec& spec, const std::string& config,
                         std::span<const ExpertStackName> stacks,
                         std::vector<StoredTensor>& tensors);

// Removes the tensors of layers after the last: they predict further tokens.
void DropLaterLayers(const ModelSpec& spec, std::vector<StoredTensor>& tensors);

// Keeps the tensors that the decoder uses, in `tensors`, under our names, and notes the form they
// have. Missing ones, ones of another shape and unknown ones are errors, except leftovers that are
// known to be of no use (rotary tables, masks, a head beside a tied embedding).
Status MatchTensors(const ModelSpec& spec, const TensorCheckNames& names, const StoredForm& form,
                    std::vector<StoredTensor>& tensors);

}  // namespace sglrun::model
