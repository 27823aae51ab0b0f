// StableLM 2 and StableLM Zephyr: layer norms, a quarter of each head rotates, a key for biases on q,
// k and v.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadStableLm(ConfigReader& keys) {
  const double partial = keys.Float("rope_pct", 0.25);
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2560,
                                            .intermediate_size = 6912,
                                            .num_key_value_heads = 32,
                                            .vocab_size = 50304,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .partial_rotary_factor = partial});
  ReadQkvBias(keys, "use_qkv_bias", false, model);
  RefuseTrue(keys, "qk_layernorm");
  UseLayerNorms(true, model);
  if (keys.Bool("use_parallel_residual", false)) UseParallelBranches(model);
  return model;
}

}  // namespace

extern const Family kStableLm;
const Family kStableLm = {
    .name = "stablelm",
    .causal_class = "StableLmForCausalLM",
    .gguf_name = "stablelm",
    .eos_token_ids = {0},
    .read = ReadStableLm,
};

}  // namespace sglrun::model
