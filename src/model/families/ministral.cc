// Ministral: as Mistral, with a key that names the layers that have the window.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadMinistral(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(
      keys,
      {.intermediate_size = 14336, .num_key_value_heads = 8, .max_position_embeddings = 4096 * 32});
  ReadWindows(keys, WindowKey(keys, 4096), 0, model);
  return model;
}

}  // namespace

extern const Family kMinistral;
const Family kMinistral = {
    .name = "ministral",
    .causal_class = "MinistralForCausalLM",
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadMinistral,
};

}  // namespace sglrun::model
