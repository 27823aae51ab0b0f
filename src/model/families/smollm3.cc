// SmolLM3: the plain decoder, in which every fourth layer has no rope.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

// In the list, 1 stands for a layer that rotates.
void ReadNoRopeLayers(ConfigReader& keys, ModelSpec& model) {
  const std::int64_t interval = keys.Int("no_rope_layer_interval", 4);
  const Json* list = keys.Find("no_rope_layers");
  const std::size_t layers = model.layers.size();
  if (list != nullptr && (!list->is_array() || list->as_array().size() != layers)) {
    return keys.Fail("no_rope_layers must be a list of " + std::to_string(layers) +
                     " numbers, one a layer");
  }
  for (std::size_t i = 0; i < layers; ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    bool rotates = interval <= 0 || number % interval != 0;
    if (list != nullptr) {
      const Json& entry = list->as_array()[i];
      rotates = entry.is_int() && entry.as_int() != 0;
    }
    if (!rotates) model.layers[i].mixer.rope = std::nullopt;
  }
}

ModelSpec ReadSmolLm3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2048,
                                            .num_hidden_layers = 36,
                                            .num_attention_heads = 16,
                                            .num_key_value_heads = 4,
                                            .vocab_size = 128256,
                                            .max_position_embeddings = 32768,
                                            .tie_word_embeddings = true,
                                            .rope_theta = 2e6});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  RefuseTrue(keys, "use_sliding_window");
  ReadNoRopeLayers(keys, model);
  return model;
}

}  // namespace

extern const Family kSmolLm3;
const Family kSmolLm3 = {
    .name = "smollm3",
    .causal_class = "SmolLM3ForCausalLM",
    .gguf_name = "smollm3",
    .gguf_interleaves_rope = true,
    .bos_token_id = 128000,
    .eos_token_ids = {128001},
    .read = ReadSmolLm3,
};

}  // namespace sglrun::model
