// What a model computes, as one value. A family makes it, everything else reads it.
//
//   x = embedding_scale * embedding[token]
//   for each layer:  x += residual_scale * after_mixer(mixer(before_mixer(x)))
//                    x += residual_scale * after_mlp(mlp(before_mlp(x)))
//   logits = logit_scale * head(final_norm(x))
//
// An absent norm passes its input on. Names of sizes follow Hugging Face's config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglrun::model {

// How positions turn into angles (transformers' modeling_rope_utils).
struct RopeSpec {
  double theta = 10000.0;
  std::int64_t rotary_dim = 0;  // first entries of each head that rotate; the rest pass through
  // Angle per position of each of the rotary_dim / 2 pairs, all scaling applied. f32 values as the
  // reference computes them.
  std::vector<float> inverse_frequencies;
  float attention_factor = 1.0f;  // multiplies cos and sin (yarn)
  std::string description;        // "llama3, factor 32"
};

// y = x / sqrt(mean(x^2) + eps) * weight. The names are those of its tensor, without ".weight", in
// a layer without the layer's prefix; they outlive the specification.
struct NormSpec {
  std::string_view name;       // in Hugging Face files: "input_layernorm"
  std::string_view gguf_name;  // "attn_norm"
  float eps = 1e-6f;

  bool operator==(const NormSpec&) const = default;
};

// Of queries and keys before they rotate: each head by itself with a weight of head_dim numbers
// that all heads share, or all heads of a token as one row.
struct HeadNormSpec {
  float eps = 1e-6f;
  bool whole_row = false;

  bool operator==(const HeadNormSpec&) const = default;
};

struct AttentionSpec {
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool qkv_bias = false, output_bias = false;
  std::optional<HeadNormSpec> head_norm = {};
  float scale = 0;          // of the product of a query and a key
  std::int64_t window = 0;  // keys that a query sees, its own included; 0: all

  std::int64_t query_width() const { return heads * head_dim; }
  std::int64_t key_width() const { return kv_heads * head_dim; }
  bool operator==(const AttentionSpec&) const = default;
};

// down(silu(gate(x)) * up(x))
struct MlpSpec {
  std::int64_t inner = 0;
  bool bias = false;

  bool operator==(const MlpSpec&) const = default;
};

struct LayerSpec {
  std::optional<NormSpec> before_mixer = {}, after_mixer = {}, before_mlp = {}, after_mlp = {};
  AttentionSpec mixer;
  MlpSpec mlp;
  float residual_scale = 1;  // of both branches, where they do not end in a norm

  bool operator==(const LayerSpec&) const = default;
};

struct ModelSpec {
  std::string family;  // its name in the registry
  std::int64_t hidden_size = 0;
  std::int64_t vocab_size = 0;  // width of embedding and logits, often padded beyond the tokenizer
  std::int64_t context_length = 0;
  float embedding_scale = 1;
  RopeSpec rope;
  std::vector<LayerSpec> layers;
  NormSpec final_norm;
  bool tied_head = false;  // the embedding serves as the head
  float logit_scale = 1;

  // Every field, in lines that a person can read: equal texts are equal computations.
  std::string ToString() const;
};

// 1 / sqrt(head_dim), the usual scale of attention.
float UsualAttentionScale(std::int64_t head_dim);

}  // namespace sglrun::model
