// What a model computes, as one value. A family makes it, everything else reads it.
//
//   x = embedding_scale * embedding[token]
//   for each layer:  x += residual_scale * after_mixer(mixer(before_mixer(x)))
//                    x += residual_scale * after_mlp(mlp(before_mlp(x)))
//   logits = cap(logit_scale * head(final_norm(x)))
//
// A layer whose branches are parallel adds both to the x that both read.
// An absent norm passes its input on. Names of sizes follow Hugging Face's config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/activation.h"
#include "kernels/norm.h"
#include "kernels/route.h"

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
  // Queries grow with their position p: by 1 + query_beta ln(1 + floor(p / query_period)).
  double query_beta = 0, query_period = 1;

  bool operator==(const RopeSpec&) const = default;
};

// kernels/norm.h has the formulas. The names are those of its tensors, without ".weight", in a
// layer without the layer's prefix; they outlive the specification.
struct NormSpec {
  std::string_view name;       // in Hugging Face files: "input_layernorm"
  std::string_view gguf_name;  // "attn_norm"
  float eps = 1e-6f;
  kernels::NormKind kind = kernels::NormKind::kRms;
  bool bias = false;

  bool operator==(const NormSpec&) const = default;
};

// Of queries and keys, by rms_norm before or after they rotate: each head by itself with a weight
// of head_dim numbers that all heads share, or all heads of a token as one row.
struct HeadNormSpec {
  float eps = 1e-6f;
  bool whole_row = false;
  bool after_rope = false;
  std::string_view q_name = "self_attn.q_norm", k_name = "self_attn.k_norm";

  bool operator==(const HeadNormSpec&) const = default;
};

struct AttentionSpec {
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool qkv_bias = false, output_bias = false;
  bool fused_qkv = false;  // the rows of q, k and v are one tensor of the checkpoint
  std::optional<HeadNormSpec> head_norm = {};
  std::optional<std::size_t> rope = 0;  // of ModelSpec::ropes; none: nothing rotates
  float scale = 0;                      // of the product of a query and a key
  float softcap = 0;                    // cap * tanh(score / cap); 0: none
  std::int64_t window = 0;              // keys that a query sees, its own included; 0: all

  std::int64_t query_width() const { return heads * head_dim; }
  std::int64_t key_width() const { return kv_heads * head_dim; }
  bool operator==(const AttentionSpec&) const = default;
};

// down(f(gate(x)) * up(x)), or down(f(up(x))) where it is not gated
struct MlpSpec {
  std::int64_t inner = 0;
  bool bias = false;
  kernels::ActivationKind activation = kernels::ActivationKind::kSilu;
  bool gated = true;
  bool fused = false;  // the rows of gate and up are one tensor of the checkpoint

  std::int64_t wide() const { return gated ? 2 * inner : inner; }

  bool operator==(const MlpSpec&) const = default;
};

// kernels/route.h has the formulas.
struct RouterSpec {
  std::int64_t experts = 0;
  std::int64_t chosen = 0;  // by each token
  kernels::RouteScore score = kernels::RouteScore::kSoftmax;
  bool choice_bias = false;  // of the scores by which experts are chosen
  bool renormalise = false;
  float scale = 1;

  bool operator==(const RouterSpec&) const = default;
};

// The weighted sum of the experts that the router chooses, and one more that all tokens take.
struct MoeSpec {
  RouterSpec router;
  MlpSpec expert;
  std::optional<MlpSpec> shared = {};
  bool shared_gate = false;  // times sigmoid(gate(x)), a number

  bool operator==(const MoeSpec&) const = default;
};

struct LayerSpec {
  std::optional<NormSpec> before_mixer = {}, after_mixer = {}, before_mlp = {}, after_mlp = {};
  AttentionSpec mixer;
  MlpSpec mlp;
  std::optional<MoeSpec> moe = {};  // in place of mlp
  float residual_scale = 1;         // of both branches, where they do not end in a norm
  bool parallel = false;            // both branches read the x that comes in

  bool operator==(const LayerSpec&) const = default;
};

struct ModelSpec {
  std::string family;  // its name in the registry
  std::int64_t hidden_size = 0;
  std::int64_t vocab_size = 0;  // width of embedding and logits, often padded beyond the tokenizer
  std::int64_t context_length = 0;
  float embedding_scale = 1;
  std::vector<RopeSpec> ropes;  // of the layers' attention, by index
  std::vector<LayerSpec> layers;
  NormSpec final_norm;
  bool tied_head = false;  // the embedding serves as the head
  bool head_bias = false;
  float logit_scale = 1;
  float logit_softcap = 0;  // cap * tanh(logit / cap); 0: none

  // Every field, in lines that a person can read: equal texts are equal computations.
  std::string ToString() const;
};

// 1 / sqrt(head_dim), the usual scale of attention.
float UsualAttentionScale(std::int64_t head_dim);

}  // namespace sglrun::model
