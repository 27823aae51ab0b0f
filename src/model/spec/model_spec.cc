#include "model/spec/model_spec.h"

#include <cmath>

#include "base/json.h"

namespace sglrun::model {
namespace {

// Float32 in the shortest form that reads back as the same number.
std::string FloatText(float value) {
  std::string text;
  AppendJsonFloat(text, value);
  return text;
}

std::string ScaleText(const char* name, float scale) {
  return scale == 1 ? "" : std::string(", ") + name + " " + FloatText(scale);
}

// Numbered where there are several.
std::string RopeText(const RopeSpec& rope, const std::string& number) {
  std::string text = "rope" + number + ": theta " + Json(rope.theta).CanonicalDump() + ", " +
                     std::to_string(rope.rotary_dim) + " entries of a head";
  if (!rope.description.empty()) text += ", " + rope.description;
  text += ScaleText("attention factor", rope.attention_factor) + "; angles";
  for (const float angle : rope.inverse_frequencies) text += " " + FloatText(angle);
  if (rope.query_beta != 0) {
    text += "; queries by 1 + " + Json(rope.query_beta).CanonicalDump() + " ln(1 + floor(p / " +
            Json(rope.query_period).CanonicalDump() + "))";
  }
  return text + "\n";
}

std::string RopesText(const std::vector<RopeSpec>& ropes) {
  std::string text;
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    text += RopeText(ropes[i], ropes.size() == 1 ? "" : " " + std::to_string(i));
  }
  return text;
}

std::string NormText(const NormSpec& norm) {
  const bool is_rms = norm.kind == kernels::NormKind::kRms;
  return std::string(norm.name) + (is_rms ? ": rms norm" : ": layer norm") + ", eps " +
         FloatText(norm.eps) + (norm.bias ? ", with bias" : "") + "\n";
}

std::string NormText(const std::optional<NormSpec>& norm) {
  return norm ? "  " + NormText(*norm) : "";
}

std::string AttentionText(const AttentionSpec& spec) {
  std::string text = "  attention: " + std::to_string(spec.heads) + " heads, " +
                     std::to_string(spec.kv_heads) + " of keys, of " +
                     std::to_string(spec.head_dim) + ", scale " + FloatText(spec.scale);
  if (spec.qkv_bias) text += ", q, k and v with bias";
  if (spec.output_bias) text += ", output with bias";
  if (spec.head_norm) {
    text += ", rms norm of q and k by " +
            std::string(spec.head_norm->whole_row ? "the whole row" : "head") +
            (spec.head_norm->after_rope ? " after the rope" : "") + ", eps " +
            FloatText(spec.head_norm->eps);
  }
  if (spec.fused_qkv) text += ", q, k and v stored as one";
  if (!spec.rope) text += ", no rope";
  if (spec.rope && *spec.rope > 0) text += ", rope " + std::to_string(*spec.rope);
  if (spec.softcap > 0) text += ", soft cap " + FloatText(spec.softcap);
  if (spec.window > 0) text += ", window " + std::to_string(spec.window);
  return text + "\n";
}

std::string ActivationText(kernels::ActivationKind kind) {
  switch (kind) {
    case kernels::ActivationKind::kSilu:
      return "silu";
    case kernels::ActivationKind::kGelu:
      return "gelu";
    case kernels::ActivationKind::kGeluTanh:
      return "gelu (tanh)";
    case kernels::ActivationKind::kRelu:
      return "relu";
    case kernels::ActivationKind::kRelu2:
      return "relu squared";
    case kernels::ActivationKind::kSoftcap:
      return "soft cap";
  }
  return "";
}

std::string MlpText(const MlpSpec& mlp, const char* name) {
  return "  " + std::string(name) + ": " + ActivationText(mlp.activation) +
         (mlp.gated ? ", gated" : ", plain") + ", inner " + std::to_string(mlp.inner) +
         (mlp.bias ? ", with bias" : "") + (mlp.fused ? ", gate and up stored as one" : "") + "\n";
}

std::string MoeText(const MoeSpec& moe) {
  const RouterSpec& router = moe.router;
  std::string text = "  router: " + std::to_string(router.chosen) + " of " +
                     std::to_string(router.experts) + " experts by " +
                     (router.score == kernels::RouteScore::kSoftmax ? "softmax" : "sigmoid");
  if (router.choice_bias) text += ", chosen with bias";
  if (router.renormalise) text += ", renormalised";
  text += ScaleText("scale", router.scale) + "\n" + MlpText(moe.expert, "expert");
  if (!moe.shared) return text;
  return text +
         MlpText(*moe.shared, moe.shared_gate ? "shared expert, with a gate" : "shared expert");
}

std::string LayerText(const LayerSpec& layer) {
  std::string text = NormText(layer.before_mixer) + AttentionText(layer.mixer);
  text += NormText(layer.after_mixer) + NormText(layer.before_mlp);
  text += (layer.moe ? MoeText(*layer.moe) : MlpText(layer.mlp, "mlp")) + NormText(layer.after_mlp);
  if (layer.residual_scale != 1) {
    text += "  residual scale " + FloatText(layer.residual_scale) + "\n";
  }
  if (layer.parallel) text += "  both branches read the same\n";
  return text;
}

// Equal layers that follow each other as one entry.
std::string LayersText(const std::vector<LayerSpec>& layers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < layers.size(); first = last) {
    while (last < layers.size() && layers[last] == layers[first]) ++last;
    text += last == first + 1
                ? "layer " + std::to_string(first)
                : "layers " + std::to_string(first) + " to " + std::to_string(last - 1);
    text += ":\n" + LayerText(layers[first]);
  }
  return text;
}

}  // namespace

float UsualAttentionScale(std::int64_t head_dim) {
  return 1.0f / std::sqrt(static_cast<float>(head_dim));
}

std::string ModelSpec::ToString() const {
  return family + ": hidden " + std::to_string(hidden_size) + ", vocabulary " +
         std::to_string(vocab_size) + ", context " + std::to_string(context_length) +
         ScaleText("embedding scale", embedding_scale) + "\n" + RopesText(ropes) +
         LayersText(layers) + NormText(final_norm) +
         "head: " + (tied_head ? "the embedding" : "its own") + (head_bias ? ", with bias" : "") +
         ScaleText("logit scale", logit_scale) +
         (logit_softcap > 0 ? ", logit soft cap " + FloatText(logit_softcap) : "") + "\n";
}

}  // namespace sglrun::model
