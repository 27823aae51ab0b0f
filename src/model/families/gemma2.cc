// Gemma 2: norms before and after both branches, soft caps of scores and logits, and every other
// layer with a window.
#include "model/families/family.h"
#include "model/families/gemma2_keys.h"
#include "model/spec/plain_decoder.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGemma2(ConfigReader& keys) {
  ModelSpec model = ReadGemma2Decoder(keys);
  UseSandwichNorms(model);
  return model;
}

}  // namespace

extern const Family kGemma2;
const Family kGemma2 = {
    .name = "gemma2",
    .causal_class = "Gemma2ForCausalLM",
    .gguf_name = "gemma2",
    .norms_less_one = true,
    .bos_token_id = 2,
    .eos_token_ids = {1},
    .read = ReadGemma2,
};

}  // namespace sglrun::model
