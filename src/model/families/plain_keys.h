// The keys that families have in common, in the spelling of config.json.
#pragma once

#include <cstdint>
#include <optional>

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Defaults of the family's configuration class in transformers.
struct ClassDefaults {
  std::int64_t hidden_size = 4096;
  std::int64_t intermediate_size = 11008;
  std::int64_t num_hidden_layers = 32;
  std::int64_t num_attention_heads = 32;
  std::optional<std::int64_t> num_key_value_heads = {};  // none: as many as num_attention_heads
  std::optional<std::int64_t> head_dim = {};             // none: hidden_size / num_attention_heads
  std::int64_t vocab_size = 32000;
  std::int64_t max_position_embeddings = 2048;
  float rms_norm_eps = 1e-6f;
};

// The plain decoder (spec/plain_decoder.h) in the sizes, with the rope and the head that the keys
// state, and in the biases and the window that a GGUF file states. Refuses other activations than
// silu. Check keys.status() afterwards; the specification may have no layers where it failed.
ModelSpec ReadPlainDecoder(ConfigReader& keys, const ClassDefaults& defaults);

// Biases of q, k, v and the output where attention_bias says so, of the MLP where mlp_bias does.
void ReadAttentionBias(ConfigReader& keys, ModelSpec& model);
void ReadMlpBias(ConfigReader& keys, ModelSpec& model);

// Windows as the Qwen classes have them: none unless use_sliding_window; then `layer_types`, or
// every layer from max_window_layers on.
void ReadQwenWindows(ConfigReader& keys, ModelSpec& model);

}  // namespace sglrun::model
