// Llama 2 and 3, SmolLM2 and others that name model_type llama: the plain decoder. Biases only when
// the configuration says so.
#include "model/families/family.h"

namespace sglrun::model {
namespace {

void SetLlamaStructure(ModelConfig&) {}

void ReadLlamaKeys(ConfigReader& reader, ModelConfig& config) {
  const bool bias = reader.Bool("attention_bias", false);
  config.qkv_bias = bias;
  config.output_bias = bias;
  config.mlp_bias = reader.Bool("mlp_bias", false);
}

}  // namespace

const Family kLlama = {
    .name = "llama",
    .causal_class = "LlamaForCausalLM",
    .gguf_name = "llama",
    .gguf_interleaves_rope = true,
    .defaults = {.bos_token_id = 1, .eos_token_id = 2},
    .set_structure = SetLlamaStructure,
    .read_keys = ReadLlamaKeys,
};

}  // namespace sglrun::model
