// Mixtral: Mistral with experts in every layer, the weights of the chosen renormalised. GGUF files
// of it name the architecture llama.
#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadMixtral(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 14336,
                                            .num_key_value_heads = 8,
                                            .max_position_embeddings = 4096 * 32,
                                            .rms_norm_eps = 1e-5f,
                                            .rope_theta = 1e6});
  if (!keys.status().ok()) return model;
  if (keys.gguf() == nullptr) SlideExceptEvery(0, WindowKey(keys, 0), model);
  MoeSpec moe = ReadExperts(keys, {.experts = 8, .chosen = 2}, model);
  moe.router.renormalise = true;
  for (LayerSpec& layer : model.layers) layer.moe = moe;
  return model;
}

}  // namespace

extern const Family kMixtral;
const Family kMixtral = {
    .name = "mixtral",
    .causal_class = "MixtralForCausalLM",
    .gguf_name = "llama",
    .has_experts = true,
    .gguf_interleaves_rope = true,
    .tensor_names = {{"mlp.gate.", "block_sparse_moe.gate."},
                     {"mlp.experts.", "block_sparse_moe.experts."},
                     {".gate_proj.", ".w1."},
                     {".up_proj.", ".w3."},
                     {".down_proj.", ".w2."}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadMixtral,
};

}  // namespace sglrun::model
