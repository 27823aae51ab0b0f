// Code World Model: the plain decoder with a window in three of four layers, the first has none.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadCwm(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(
      keys, {.hidden_size = 6144,
             .intermediate_size = 21504,
             .num_hidden_layers = 64,
             .num_attention_heads = 48,
             .num_key_value_heads = 8,
             .head_dim = 128,
             .vocab_size = 128256,
             .max_position_embeddings = 131072,
             .rms_norm_eps = 1e-5f,
             .rope_theta = 1e6,
             .rope_parameters =
                 R"({"rope_type": "llama3", "rope_theta": 1000000.0, "factor": 16.0,
                     "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192})"});
  ReadMlpBias(keys, model);
  const std::int64_t window = WindowKey(keys, 8192);
  ReadWindows(keys, window, 0, model);
  if (keys.Find("layer_types") != nullptr) return model;
  for (std::size_t i = 0; i < model.layers.size(); i += 4) model.layers[i].mixer.window = 0;
  return model;
}

}  // namespace

extern const Family kCwm;
const Family kCwm = {
    .name = "cwm",
    .causal_class = "CwmForCausalLM",
    .bos_token_id = 128000,
    .eos_token_ids = {128001, 128008, 128009},
    .read = ReadCwm,
};

}  // namespace sglrun::model
