// Qwen3: RMSNorm over each q head and each k head before the rotation; head_dim is a key of its
// own.
#include "model/families/family.h"

namespace sglrun::model {
namespace {

void SetQwen3Structure(ModelConfig& config) {
  config.qk_norm = true;
}

void ReadQwen3Keys(ConfigReader& reader, ModelConfig& config) {
  const bool bias = reader.Bool("attention_bias", false);
  config.qkv_bias = bias;
  config.output_bias = bias;
  ReadQwenWindows(reader, config);
}

}  // namespace

const Family kQwen3 = {
    .name = "qwen3",
    .causal_class = "Qwen3ForCausalLM",
    .gguf_name = "qwen3",
    .gguf_interleaves_rope = false,
    .defaults = {.intermediate_size = 22016,
                 .num_key_value_heads = 32,
                 .head_dim = 128,
                 .vocab_size = 151936,
                 .max_position_embeddings = 32768},
    .set_structure = SetQwen3Structure,
    .read_keys = ReadQwen3Keys,
};

}  // namespace sglrun::model
