// Qwen2 and 2.5: biases on q, k and v (not o), in every model and without a key for it.
#include "model/families/family.h"

namespace sglrun::model {
namespace {

void SetQwen2Structure(ModelConfig& config) {
  config.qkv_bias = true;
}

}  // namespace

const Family kQwen2 = {
    .name = "qwen2",
    .causal_class = "Qwen2ForCausalLM",
    .gguf_name = "qwen2",
    .gguf_interleaves_rope = false,
    .defaults = {.intermediate_size = 22016,
                 .num_key_value_heads = 32,
                 .vocab_size = 151936,
                 .max_position_embeddings = 32768},
    .set_structure = SetQwen2Structure,
    .read_keys = ReadQwenWindows,
};

}  // namespace sglrun::model
