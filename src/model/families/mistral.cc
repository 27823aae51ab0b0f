// Mistral: the plain decoder with one sliding window for all layers (v0.1), none when the key is
// null (v0.2 on). GGUF files of Mistral name the architecture llama.
#include "model/families/family.h"

namespace sglrun::model {
namespace {

void SetMistralStructure(ModelConfig&) {}

void ReadMistralKeys(ConfigReader& reader, ModelConfig& config) {
  const std::int64_t absent = reader.Has("sliding_window") ? 0 : 4096;
  const std::int64_t window = reader.Int("sliding_window", absent);
  config.sliding_window.assign(config.sliding_window.size(), window);
}

}  // namespace

const Family kMistral = {
    .name = "mistral",
    .causal_class = "MistralForCausalLM",
    .gguf_name = "",
    .gguf_interleaves_rope = false,
    .defaults = {.intermediate_size = 14336,
                 .num_key_value_heads = 8,
                 .max_position_embeddings = 4096 * 32,
                 .bos_token_id = 1,
                 .eos_token_id = 2},
    .set_structure = SetMistralStructure,
    .read_keys = ReadMistralKeys,
};

}  // namespace sglrun::model
