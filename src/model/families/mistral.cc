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
  SlideExceptEvery(0, WindowKey(keys, 4096), model);
  return model;
}

}  // namespace

extern const Family kMistral;
const Family kMistral = {
    .name = "mistral",
    .causal_class = "MistralForCausalLM",
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadMistral,
};

}  // namespace sglrun::model
