// Hunyuan, the dense models: norms of each query and key head after the rope.
#include "model/families/family.h"
#include "model/families/hunyuan_attention.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadHunyuan(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.vocab_size = 290943, .rms_norm_eps = 1e-5f});
  UseHunyuanAttention(keys, model);
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
