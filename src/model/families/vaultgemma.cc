// VaultGemma: Gemma 2 without norms after the branches.
#include "model/families/family.h"
#include "model/families/gemma2_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadVaultGemma(ConfigReader& keys) {
  ModelSpec model = ReadGemma2Decoder(keys);
  for (LayerSpec& layer : model.layers) layer.before_mlp->name = "pre_feedforward_layernorm";
  return model;
}

}  // namespace

extern const Family kVaultGemma;
const Family kVaultGemma = {
    .name = "vaultgemma",
    .causal_class = "VaultGemmaForCausalLM",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {1},
    .read = ReadVaultGemma,
};

}  // namespace sglrun::model
