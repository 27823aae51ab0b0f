// Granite 3: the plain decoder with factors of the embedding, of both branches of a layer, of the
// scores of attention and of the logits. The factor of attention replaces 1 / sqrt(head_dim), that
// of the logits divides.
#include "model/families/family.h"
#include "model/families/granite_factors.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGranite(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  UseGraniteFactors(keys, model);
  return model;
}

}  // namespace

extern const Family kGranite;
const Family kGranite = {
    .name = "granite",
    .causal_class = "GraniteForCausalLM",
    .gguf_name = "granite",
    .gguf_interleaves_rope = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadGranite,
};

}  // namespace sglrun::model
