// Hunyuan with experts: in every layer, and beside them an MLP that all tokens take.
#include <algorithm>

#include "model/families/expert_keys.h"
#include "model/families/family.h"
#include "model/families/hunyuan_attention.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

// A number, or a list with the same number for each layer.
std::int64_t SameForAllLayers(ConfigReader& keys, std::string_view key, std::int64_t absent) {
  const Json* value = keys.Find(key);
  if (value == nullptr || !value->is_array()) return keys.Int(key, absent);
  const Json::Array& numbers = value->as_array();
  const bool is_same = !numbers.empty() && numbers[0].is_int() &&
                       std::ranges::all_of(numbers, [&](const Json& number) {
                         return number.is_int() && number.as_int() == numbers[0].as_int();
                       });
  if (!is_same) {
    keys.Fail(std::string(key) + " is " + value->Excerpt() +
              ", supported are a number and a list with the same number for each layer");
    return absent;
  }
  return numbers[0].as_int();
}

ModelSpec ReadHunyuanMoe(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.vocab_size = 290943, .rms_norm_eps = 1e-5f});
  if (!keys.status().ok()) return model;
  UseHunyuanAttention(keys, model);
  MoeSpec moe{.router = {}, .expert = model.layers[0].mlp, .shared = model.layers[0].mlp};
  moe.router.experts = SameForAllLayers(keys, "num_experts", 1);
  moe.router.chosen =
      SameForAllLayers(keys, keys.gguf() != nullptr ? "num_experts_per_tok" : "moe_topk", 1);
  moe.router.renormalise = true;
  if (keys.gguf() != nullptr) {
    moe.expert.inner = keys.Int("moe_intermediate_size", moe.expert.inner);
    moe.shared->inner = keys.Int("shared_expert_intermediate_size", moe.shared->inner);
  }
  for (LayerSpec& layer : model.layers) layer.moe = moe;
  return model;
}

}  // namespace

extern const Family kHunyuanMoe;
const Family kHunyuanMoe = {
    .name = "hunyuan_v1_moe",
    .causal_class = "HunYuanMoEV1ForCausalLM",
    .gguf_name = "hunyuan-moe",
    .has_experts = true,
    .tensor_names = {{"mlp.gate.", "mlp.gate.wg."}, {"mlp.shared_expert.", "mlp.shared_mlp."}},
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadHunyuanMoe,
};

}  // namespace sglrun::model
