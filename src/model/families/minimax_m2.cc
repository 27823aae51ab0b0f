// MiniMax M2: norms of all heads of a query and of a key as one row, a part of each head rotates,
// experts in every layer, chosen by sigmoid and a bias.
#include <algorithm>

#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadMiniMaxM2(ConfigReader& keys) {
  const std::int64_t head_dim = keys.Int("head_dim", 128);
  const std::int64_t rotated = keys.Int("rotary_dim", head_dim);
  ModelSpec model = ReadPlainDecoder(
      keys, {.hidden_size = 3072,
             .intermediate_size = 1536,
             .num_hidden_layers = 62,
             .num_attention_heads = 48,
             .num_key_value_heads = 8,
             .head_dim = 128,
             .vocab_size = 200064,
             .max_position_embeddings = 196608,
             .rope_theta = 5e6,
             .partial_rotary_factor = static_cast<double>(rotated) /
                                      static_cast<double>(std::max<std::int64_t>(head_dim, 1))});
  if (!keys.status().ok()) return model;
  MoeSpec moe =
      ReadExperts(keys, {.experts = 256, .chosen = 8, .count_key = "num_local_experts"}, model);
  moe.router.score = kernels::RouteScore::kSigmoid;
  moe.router.choice_bias = true;
  moe.router.renormalise = true;
  for (LayerSpec& layer : model.layers) {
    layer.mixer.head_norm = {.eps = model.final_norm.eps, .whole_row = true};
    layer.moe = moe;
  }
  return model;
}

}  // namespace

extern const Family kMiniMaxM2;
const Family kMiniMaxM2 = {
    .name = "minimax_m2",
    .causal_class = "MiniMaxM2ForCausalLM",
    .gguf_name = "minimax-m2",
    .has_experts = true,
    .tensor_names = {{"mlp.gate.e_score_correction_bias",
                      "block_sparse_moe.e_score_correction_bias"},
                     {"mlp.gate.", "block_sparse_moe.gate."},
                     {"mlp.experts.", "block_sparse_moe.experts."},
                     {".gate_proj.", ".w1."},
                     {".up_proj.", ".w3."},
                     {".down_proj.", ".w2."}},
    .bos_token_id = 200034,
    .eos_token_ids = {200020},
    .read = ReadMiniMaxM2,
};

}  // namespace sglrun::model
