// Mistral: the plain decoder with one sliding window for all layers (v0.1), none when the key is
// null (v0.2 on). GGUF files of Mistral name the architecture llama.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadMistral(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(
      keys,
      {.intermediate_size = 14336, .num_key_value_heads = 8, .max_position_embeddings = 4096 * 32});
  const std::int64_t absent = keys.Has("sliding_window") ? 0 : 4096;
  const std::int64_t window = keys.Int("sliding_window", absent);
  for (LayerSpec& layer : model.layers) layer.mixer.window = window;
  return model;
}

}  // namespace

extern const Family kMistral;
const Family kMistral = {
    .name = "mistral",
    .causal_class = "MistralForCausalLM",
    .bos_token_id = 1,
    .eos_token_id = 2,
    .read = ReadMistral,
};

}  // namespace sglrun::model
