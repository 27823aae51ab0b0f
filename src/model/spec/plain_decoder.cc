#include "model/spec/plain_decoder.h"

namespace sglrun::model {

ModelSpec PlainDecoder(const PlainSizes& sizes) {
  const LayerSpec layer{
      .before_mixer = NormSpec{"input_layernorm", "attn_norm", sizes.norm_eps},
      .before_mlp = NormSpec{"post_attention_layernorm", "ffn_norm", sizes.norm_eps},
      .mixer = {.heads = sizes.heads,
                .kv_heads = sizes.kv_heads,
                .head_dim = sizes.head_dim,
                .scale = UsualAttentionScale(sizes.head_dim)},
      .mlp = {.inner = sizes.inner}};
  ModelSpec model;
  model.hidden_size = sizes.hidden;
  model.vocab_size = sizes.vocab;
  model.context_length = sizes.context;
  model.layers.assign(static_cast<std::size_t>(sizes.layers), layer);
  model.final_norm = {"model.norm", "output_norm", sizes.norm_eps};
  return model;
}

void UseNormsAfter(ModelSpec& model) {
  const float eps = model.final_norm.eps;
  for (LayerSpec& layer : model.layers) {
    layer.before_mixer = layer.before_mlp = {};
    layer.after_mixer = NormSpec{"post_attention_layernorm", "post_attention_norm", eps};
    layer.after_mlp = NormSpec{"post_feedforward_layernorm", "post_ffw_norm", eps};
  }
}

void UseSandwichNorms(ModelSpec& model) {
  const float eps = model.final_norm.eps;
  for (LayerSpec& layer : model.layers) {
    layer.after_mixer = NormSpec{"post_attention_layernorm", "post_attention_norm", eps};
    layer.before_mlp = NormSpec{"pre_feedforward_layernorm", "ffn_norm", eps};
    layer.after_mlp = NormSpec{"post_feedforward_layernorm", "post_ffw_norm", eps};
  }
}

void UseLayerNorms(bool bias, ModelSpec& model) {
  const auto change = [&](NormSpec& norm) {
    norm.kind = kernels::NormKind::kLayer;
    norm.bias = bias;
  };
  change(model.final_norm);
  for (LayerSpec& layer : model.layers) {
    for (auto* norm :
         {&layer.before_mixer, &layer.after_mixer, &layer.before_mlp, &layer.after_mlp}) {
      if (*norm) change(**norm);
    }
  }
}

void UseBiases(ModelSpec& model) {
  for (LayerSpec& layer : model.layers) {
    layer.mixer.qkv_bias = layer.mixer.output_bias = layer.mlp.bias = true;
  }
}

void UseParallelBranches(ModelSpec& model) {
  for (LayerSpec& layer : model.layers) {
    layer.parallel = true;
    layer.before_mlp = layer.before_mixer;
  }
}

}  // namespace sglrun::model
