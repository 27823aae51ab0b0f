// Llama 2 and 3, SmolLM2 and others that name model_type llama: the plain decoder. Biases only when
// the configuration says so.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadLlama(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  return model;
}

}  // namespace

extern const Family kLlama;
const Family kLlama = {
    .name = "llama",
    .causal_class = "LlamaForCausalLM",
    .gguf_name = "llama",
    .gguf_interleaves_rope = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadLlama,
};

}  // namespace sglrun::model
