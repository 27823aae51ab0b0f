// The tensors that a decoder of a given configuration is made of, by their Hugging Face names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/config.h"
#include "model/stored_tensor.h"

namespace sglrun::model {

inline constexpr const char* kEmbeddingName = "model.embed_tokens.weight";
inline constexpr const char* kFinalNormName = "model.norm.weight";
inline constexpr const char* kHeadName = "lm_head.weight";

// "model.layers.3." + suffix
std::string LayerTensorName(std::int64_t layer, const std::string& suffix);

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
};

// Embedding, layers, final norm, and the head unless it is tied.
std::vector<TensorSpec> DecoderTensors(const ModelConfig& config);

// What the error sentences call the two sides.
struct TensorCheckNames {
  std::string model;   // the model as the user named it
  std::string config;  // "config.json", "the metadata"
};

// Keeps the tensors that the decoder uses, in `tensors`. Missing ones, ones of another shape and
// unknown ones are errors, except leftovers that are known to be of no use (rotary tables, a head
// beside a tied embedding).
Status MatchTensors(const ModelConfig& config, const TensorCheckNames& names,
                    std::vector<StoredTensor>& tensors);

}  // namespace sglrun::model
