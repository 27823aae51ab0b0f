// Phi-3, 3.5 and 4: q, k and v, and gate and up, are one tensor each. Models with longrope run up
// to the original length, with the factors of such short texts.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadPhi3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 3072,
                                            .intermediate_size = 8192,
                                            .vocab_size = 32064,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f});
  ReadWindows(keys, WindowKey(keys, 0), 0, model);
  for (LayerSpec& layer : model.layers) layer.mixer.fused_qkv = layer.mlp.fused = true;
  return model;
}

}  // namespace

extern const Family kPhi3;
const Family kPhi3 = {
    .name = "phi3",
    .causal_class = "Phi3ForCausalLM",
    .gguf_name = "phi3",
    .bos_token_id = 1,
    .eos_token_ids = {32000},
    .read = ReadPhi3,
};

}  // namespace sglrun::model
