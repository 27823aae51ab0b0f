// GPT-NeoX, Pythia: layer norms, a plain MLP, both branches read the same x, each by a norm of its
// own; q, k and v of each head are beside each other in one tensor; a part of each head rotates.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadGptNeoX(ConfigReader& keys) {
  const double partial = keys.Float("rotary_pct", 0.25);
  const double theta = keys.Float("rotary_emb_base", 10000.0);
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 6144,
                                            .intermediate_size = 24576,
                                            .num_hidden_layers = 44,
                                            .num_attention_heads = 64,
                                            .vocab_size = 50432,
                                            .rms_norm_eps = 1e-5f,
                                            .eps_key = "layer_norm_eps",
                                            .activation = "gelu",
                                            .rope_theta = theta,
                                            .partial_rotary_factor = partial});
  UseLayerNorms(true, model);
  UseBiases(model);
  const bool parallel = keys.Bool("use_parallel_residual", true);
  const bool bias = keys.Bool("attention_bias", true);
  for (LayerSpec& layer : model.layers) {
    layer.parallel = parallel;
    layer.mixer.fused_qkv = true;
    layer.mixer.qkv_bias = layer.mixer.output_bias = bias;
    layer.mlp.gated = false;
  }
  return model;
}

}  // namespace

extern const Family kGptNeoX;
const Family kGptNeoX = {
    .name = "gpt_neox",
    .causal_class = "GPTNeoXForCausalLM",
    .gguf_name = "gptneox",
    .groups_qkv = true,
    .tensor_names = {{"model.embed_tokens", "gpt_neox.embed_in"},
                     {"model.norm", "gpt_neox.final_layer_norm"},
                     {"model.layers.", "gpt_neox.layers."},
                     {"lm_head", "embed_out"},
                     {"self_attn.qkv_proj", "attention.query_key_value"},
                     {"self_attn.o_proj", "attention.dense"},
                     {"mlp.up_proj", "mlp.dense_h_to_4h"},
                     {"mlp.down_proj", "mlp.dense_4h_to_h"}},
    .bos_token_id = 0,
    .eos_token_ids = {2},
    .read = ReadGptNeoX,
};

}  // namespace sglrun::model
