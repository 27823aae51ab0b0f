// The nouns of this room: what a model is, in numbers. Names follow Hugging Face's config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace sglrun::model {

// How positions turn into angles (as in transformers' modeling_rope_utils).
struct RopeConfig {
  double theta = 10000.0;
  std::int64_t rotary_dim = 0;  // first entries of each head that rotate; the rest pass through
  // Angle per position of each of the rotary_dim / 2 pairs, all scaling applied. f32 values as the
  // reference computes them.
  std::vector<float> inverse_frequencies;
  float attention_factor = 1.0f;  // multiplies cos and sin (yarn)
  std::string description;        // "llama3, factor 32"
};

struct ModelConfig {
  std::string architecture;  // family name in the registry: "llama", "mistral", "qwen2", "qwen3"
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;  // width of embedding and logits, often padded beyond the tokenizer
  std::int64_t context_length = 0;  // max_position_embeddings
  float rms_norm_eps = 1e-6f;
  RopeConfig rope;
  std::vector<std::int64_t> sliding_window;  // one entry a layer, 0 = full attention
  bool tie_word_embeddings = false;
  bool qkv_bias = false;
  bool output_bias = false;  // bias of o_proj
  bool mlp_bias = false;
  bool qk_norm = false;  // RMSNorm over each q and k head before rope

  std::vector<std::int32_t> eos_token_ids;  // of config.json and generation_config.json, united
  std::optional<std::int32_t> bos_token_id;
};

// Sampling defaults that generation_config.json literally contains.
struct GenerationDefaults {
  std::optional<double> temperature, top_p, min_p, repetition_penalty;
  std::optional<std::int64_t> top_k;
};

}  // namespace sglrun::model
