// Hunyuan, the dense models: norms of each query and key head after the rope.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadHunyuan(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.vocab_size = 290943, .rms_norm_eps = 1e-5f});
  ReadAttentionBias(keys, model);
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps,
                             .after_rope = true,
                             .q_name = "self_attn.query_layernorm",
                             .k_name = "self_attn.key_layernorm"};
  }
  return model;
}

}  // namespace

extern const Family kHunyuan;
const Family kHunyuan = {
    .name = "hunyuan_v1_dense",
    .causal_class = "HunYuanDenseV1ForCausalLM",
    .gguf_name = "hunyuan-dense",
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadHunyuan,
};

}  // namespace sglrun::model
