#include "model/spec/faults.h"

#include <cmath>

#include "kernels/kv_cache.h"

namespace sglrun::model {
namespace {

using Fault = std::optional<std::string>;

struct SizeRange {
  const char* key;
  std::int64_t value;
  // Upper limit: no model is near it, and products stay inside int64. For a head: what the kernels
  // have room for.
  std::int64_t limit;
};

Fault SizeFault(const ModelSpec& spec, const LayerSpec& layer) {
  const AttentionSpec& attention = layer.mixer;
  const SizeRange ranges[] = {
      {"hidden_size", spec.hidden_size, 1 << 20},
      {"intermediate_size", layer.mlp.inner, 1 << 22},
      {"num_attention_heads", attention.heads, 1 << 12},
      {"num_key_value_heads", attention.kv_heads, 1 << 12},
      {"head_dim", attention.head_dim, kernels::kMaxHeadDim},
      {"vocab_size", spec.vocab_size, 1 << 24},
      {"max_position_embeddings", spec.context_length, kMostContext},
  };
  for (const SizeRange& range : ranges) {
    if (Fault fault = RangeFault(range.key, range.value, range.limit)) return fault;
  }
  return std::nullopt;
}

Fault RopeFault(const AttentionSpec& spec, const std::vector<RopeSpec>& ropes) {
  if (!spec.rope || ropes.empty()) return std::nullopt;  // none yet
  const RopeSpec& rope = ropes.at(*spec.rope);
  if (rope.rotary_dim > spec.head_dim) {
    return std::to_string(rope.rotary_dim) + " entries of a head rotate, head_dim is " +
           std::to_string(spec.head_dim);
  }
  if (rope.query_beta != 0 && rope.rotary_dim != spec.head_dim) {
    return "queries grow with their position, and a part of them does not rotate, which is not "
           "supported";
  }
  return std::nullopt;
}

Fault CapFault(const char* name, float cap) {
  if (std::isfinite(cap) && cap >= 0) return std::nullopt;
  return std::string(name) + " is " + std::to_string(cap) + ", must be above 0";
}

Fault AttentionFault(const AttentionSpec& spec, const std::vector<RopeSpec>& ropes) {
  if (spec.heads % spec.kv_heads != 0) {
    return "num_attention_heads " + std::to_string(spec.heads) +
           " is not a multiple of num_key_value_heads " + std::to_string(spec.kv_heads);
  }
  if (spec.head_dim % 8 != 0) {
    return "head_dim is " + std::to_string(spec.head_dim) + ", must be a multiple of 8";
  }
  if (Fault fault = RopeFault(spec, ropes)) return fault;
  if (spec.window < 0) return "sliding_window is negative";
  if (!std::isfinite(spec.scale)) return "the scale of attention is not finite";
  return CapFault("attn_logit_softcapping", spec.softcap);
}

Fault NormFault(const std::optional<NormSpec>& norm) {
  if (!norm || (std::isfinite(norm->eps) && norm->eps > 0)) return std::nullopt;
  return "rms_norm_eps is " + std::to_string(norm->eps) + ", must be above 0";
}

Fault ScaleFault(const char* name, float scale) {
  if (std::isfinite(scale) && scale != 0) return std::nullopt;
  return std::string("the ") + name + " is " + std::to_string(scale) +
         ", must be a finite number other than 0";
}

// Tensors of all experts are listed before the first is read.
constexpr std::int64_t kMostExpertsOfAll = 1 << 17;

Fault MoeFault(const ModelSpec& spec, const MoeSpec& moe) {
  const RouterSpec& router = moe.router;
  if (Fault fault = RangeFault("num_experts", router.experts, kernels::kMostExperts)) return fault;
  if (Fault fault = RangeFault("num_experts_per_tok", router.chosen, router.experts)) return fault;
  if (Fault fault = RangeFault("moe_intermediate_size", moe.expert.inner, 1 << 22)) return fault;
  if (moe.shared) {
    Fault fault = RangeFault("the width of the shared expert", moe.shared->inner, 1 << 22);
    if (fault) return fault;
  }
  const auto layers = static_cast<std::int64_t>(spec.layers.size());
  return RangeFault("num_experts * num_hidden_layers", router.experts * layers, kMostExpertsOfAll);
}

Fault LayerFault(const ModelSpec& spec, const LayerSpec& layer) {
  if (Fault fault = SizeFault(spec, layer)) return fault;
  if (Fault fault = AttentionFault(layer.mixer, spec.ropes)) return fault;
  for (const auto& norm :
       {layer.before_mixer, layer.after_mixer, layer.before_mlp, layer.after_mlp}) {
    if (Fault fault = NormFault(norm)) return fault;
  }
  if (layer.moe) {
    if (Fault fault = MoeFault(spec, *layer.moe)) return fault;
    if (Fault fault = ScaleFault("scale of the experts", layer.moe->router.scale)) return fault;
  }
  const bool has_after = layer.after_mixer || layer.after_mlp;
  if (has_after && layer.residual_scale != 1) {
    return "a scale of residual branches that end in a norm is not supported";
  }
  return ScaleFault("scale of residual branches", layer.residual_scale);
}

}  // namespace

Fault RangeFault(const std::string& key, std::int64_t value, std::int64_t limit) {
  if (value >= 1 && value <= limit) return std::nullopt;
  return key + " is " + std::to_string(value) + ", must be in [1, " + std::to_string(limit) + "]";
}

Fault FaultOf(const ModelSpec& spec) {
  const auto layers = static_cast<std::int64_t>(spec.layers.size());
  if (Fault fault = RangeFault("num_hidden_layers", layers, kMostLayers)) return fault;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (i > 0 && spec.layers[i] == spec.layers[i - 1]) continue;
    if (Fault fault = LayerFault(spec, spec.layers[i])) return fault;
  }
  if (Fault fault = ScaleFault("scale of the embedding", spec.embedding_scale)) return fault;
  if (Fault fault = ScaleFault("scale of the logits", spec.logit_scale)) return fault;
  if (Fault fault = CapFault("final_logit_softcapping", spec.logit_softcap)) return fault;
  return NormFault(spec.final_norm);
}

}  // namespace sglrun::model
