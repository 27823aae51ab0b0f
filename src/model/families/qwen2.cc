// Qwen2 and 2.5: biases on q, k and v (not o), in every model and without a key for it.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadQwen2(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 22016,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 151936,
                                            .max_position_embeddings = 32768});
  for (LayerSpec& layer : model.layers) layer.mixer.qkv_bias = true;
  ReadQwenWindows(keys, model);
  return model;
}

}  // namespace

extern const Family kQwen2;
const Family kQwen2 = {
    .name = "qwen2",
    .causal_class = "Qwen2ForCausalLM",
    .gguf_name = "qwen2",
    .read = ReadQwen2,
};

}  // namespace sglrun::model
