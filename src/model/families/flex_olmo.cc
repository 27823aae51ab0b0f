// FlexOlmo: OLMo 2 with experts in every layer.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadFlexOlmo(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(
      keys, {.vocab_size = 100352, .max_position_embeddings = 4096, .rope_theta = 5e5});
  if (!keys.status().ok()) return model;
  ReadAttentionBias(keys, model);
  UseNormsAfter(model);
  UseExpertsAsOlmo(keys, {.experts = 7, .chosen = 5}, model);
  return model;
}

}  // namespace

extern const Family kFlexOlmo;
const Family kFlexOlmo = {
    .name = "flex_olmo",
    .causal_class = "FlexOlmoForCausalLM",
    .has_experts = true,
    .eos_token_ids = {100257},
    .read = ReadFlexOlmo,
};

}  // namespace sglrun::model
