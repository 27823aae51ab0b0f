#include "model/families/hunyuan_attention.h"

#include "model/families/plain_keys.h"

namespace sglrun::model {

void UseHunyuanAttention(ConfigReader& keys, ModelSpec& model) {
  ReadAttentionBias(keys, model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps,
                             .after_rope = true,
                             .q_name = "self_attn.query_layernorm",
                             .k_name = "self_attn.key_layernorm"};
  }
}

}  // namespace sglrun::model
