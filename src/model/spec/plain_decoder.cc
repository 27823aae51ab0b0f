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

}  // namespace sglrun::model
