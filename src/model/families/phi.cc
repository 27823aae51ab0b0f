// Phi 1, 1.5 and 2: layer norms, one for both branches, which read the same; a plain MLP; a part of
// each head rotates; biases everywhere, on the head too.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadPhi(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2048,
                                            .intermediate_size = 8192,
                                            .num_hidden_layers = 24,
                                            .vocab_size = 51200,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .activation = "gelu_new",
                                            .partial_rotary_factor = 0.5});
  RefuseTrue(keys, "qk_layernorm");
  UseLayerNorms(true, model);
  UseParallelBranches(model);
  UseBiases(model);
  model.head_bias = true;
  for (LayerSpec& layer : model.layers) layer.mlp.gated = false;
  return model;
}

}  // namespace

extern const Family kPhi;
const Family kPhi = {
    .name = "phi",
    .causal_class = "PhiForCausalLM",
    .gguf_name = "phi2",
    .tensor_names = {{"self_attn.o_proj", "self_attn.dense"},
                     {"mlp.up_proj", "mlp.fc1"},
                     {"mlp.down_proj", "mlp.fc2"},
                     {"model.norm", "model.final_layernorm"}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadPhi,
};

}  // namespace sglrun::model
