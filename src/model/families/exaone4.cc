// EXAONE 4: norms after both branches in place of those before them, and of each query and key head.
// Where there is a window, every fourth layer has none, and no rope either.
#include "model/families/exaone_attention.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadExaone4(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 16384,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 102400,
                                            .rms_norm_eps = 1e-5f});
  UseNormsAfter(model);
  UseExaoneAttention(keys, model);
  return model;
}

}  // namespace

extern const Family kExaone4;
const Family kExaone4 = {
    .name = "exaone4",
    .causal_class = "Exaone4ForCausalLM",
    .gguf_name = "exaone4",
    .bos_token_id = 0,
    .eos_token_ids = {2},
    .read = ReadExaone4,
};

}  // namespace sglrun::model
