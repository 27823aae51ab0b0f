// Qwen3: RMSNorm over each q head and each k head before the rotation; head_dim is a key of its
// own.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadQwen3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 22016,
                                            .num_key_value_heads = 32,
                                            .head_dim = 128,
                                            .vocab_size = 151936,
                                            .max_position_embeddings = 32768});
  for (LayerSpec& layer : model.layers) layer.mixer.head_norm = {.eps = model.final_norm.eps};
  ReadAttentionBias(keys, model);
  ReadQwenWindows(keys, model);
  return model;
}

}  // namespace

extern const Family kQwen3;
const Family kQwen3 = {
    .name = "qwen3",
    .causal_class = "Qwen3ForCausalLM",
    .gguf_name = "qwen3",
    .read = ReadQwen3,
};

}  // namespace sglrun::model
