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

std::string RopeText(const RopeSpec& rope) {
  std::string text = "rope: theta " + Json(rope.theta).CanonicalDump() + ", " +
                     std::to_string(rope.rotary_dim) + " entries of a head";
  if (!rope.description.empty()) text += ", " + rope.description;
  text += ScaleText("attention factor", rope.attention_factor) + "; angles";
  for (const float angle : rope.inverse_frequencies) text += " " + FloatText(angle);
  return text + "\n";
}

std::string NormText(const NormSpec& norm) {
  return std::string(norm.name) + ": rms norm, eps " + FloatText(norm.eps) + "\n";
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
            std::string(spec.head_norm->whole_row ? "the whole row" : "head") + ", eps " +
            FloatText(spec.head_norm->eps);
  }
  if (spec.window > 0) text += ", window " + std::to_string(spec.window);
  return text + "\n";
}

std::string LayerText(const LayerSpec& layer) {
  std::string text = NormText(layer.before_mixer) + AttentionText(layer.mixer);
  text += NormText(layer.after_mixer) + NormText(layer.before_mlp);
  text += "  mlp: silu, gated, inner " + std::to_string(layer.mlp.inner) +
          (layer.mlp.bias ? ", with bias" : "") + "\n";
  text += NormText(layer.after_mlp);
  if (layer.residual_scale != 1) {
    text += "  residual scale " + FloatText(layer.residual_scale) + "\n";
  }
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
         ScaleText("embedding scale", embedding_scale) + "\n" +
         RopeText(rope) + LayersText(layers) + NormText(final_norm) +
         "head: " + (tied_head ? "the embedding" : "its own") +
         ScaleText("logit scale", logit_scale) + "\n";
}

}  // namespace sglrun::model
