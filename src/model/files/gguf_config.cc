#include "model/files/gguf_config.h"

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "model/spec/faults.h"
#include "model/spec/rope.h"

namespace sglrun::model {
namespace {

// Keys below general.architecture's prefix.
class ArchKeys {
 public:
  ArchKeys(const formats::GgufFile& gguf, std::string_view architecture)
      : gguf_(&gguf), prefix_(std::string(architecture) + ".") {}

  std::string Name(std::string_view key) const { return prefix_ + std::string(key); }
  bool Has(std::string_view key) const { return gguf_->metadata.contains(Name(key)); }

  Result<std::optional<double>> Float(std::string_view key) const {
    return gguf_->Float(Name(key));
  }
  Result<std::optional<std::string_view>> String(std::string_view key) const {
    return gguf_->String(Name(key));
  }

  Result<std::optional<bool>> Bool(std::string_view key) const { return gguf_->Bool(Name(key)); }

  // One number, or a list with the same number for each layer.
  Result<std::optional<std::int64_t>> Int(std::string_view key) const {
    const auto found = gguf_->metadata.find(Name(key));
    if (found == gguf_->metadata.end() ||
        !std::holds_alternative<std::vector<std::int64_t>>(found->second.value)) {
      return gguf_->Int(Name(key));
    }
    const auto& list = std::get<std::vector<std::int64_t>>(found->second.value);
    if (list.empty() ||
        std::adjacent_find(list.begin(), list.end(), std::not_equal_to<>()) != list.end()) {
      return Error{gguf_->place + ": key " + Name(key) +
                   " differs between layers, which is not supported"};
    }
    return std::optional<std::int64_t>(list[0]);
  }

  // nullptr unless it is a list of flags.
  const std::vector<bool>* Flags(std::string_view key) const {
    const auto found = gguf_->metadata.find(Name(key));
    return found == gguf_->metadata.end() ? nullptr
                                          : std::get_if<std::vector<bool>>(&found->second.value);
  }

  Result<std::int64_t> RequireInt(std::string_view key) const {
    SGLRUN_ASSIGN_OR_RETURN(const std::optional<std::int64_t> value, Int(key));
    if (value.has_value()) return *value;
    return Error{gguf_->place + ": key " + Name(key) + " is missing"};
  }

  const std::string& place() const { return gguf_->place; }

 private:
  const formats::GgufFile* gguf_;
  std::string prefix_;
};

const formats::GgufTensor* FindTensor(std::span<const formats::GgufTensor> tensors,
                                      std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const formats::GgufTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Result<const Family*> ChooseFamily(const formats::GgufFile& gguf) {
  SGLRUN_ASSIGN_OR_RETURN(const auto architecture, gguf.String("general.architecture"));
  if (!architecture) return Error{gguf.place + ": key general.architecture is missing"};
  SGLRUN_ASSIGN_OR_RETURN(const auto experts,
                          gguf.Int(std::string(*architecture) + ".expert_count"));
  const bool has_experts = experts.value_or(0) > 0;
  if (const Family* family = FindGgufFamily(*architecture, has_experts)) return family;
  return Error{gguf.place + ": general.architecture is \"" + std::string(*architecture) +
               "\", which is not supported; supported are " + FamilyNames() +
               " (GGUF files of mistral name llama)"};
}

// Keys that change the arithmetic, and their names in a config.json. A family that has them reads
// them; to every other family they are something that it does not compute.
struct ArithmeticKey {
  const char* gguf;
  const char* hugging_face;
};
constexpr ArithmeticKey kArithmeticKeys[] = {
    {"attention.scale", "attention_multiplier"},
    {"logit_scale", "logits_scaling"},
    {"residual_scale", "residual_multiplier"},
    {"embedding_scale", "embedding_multiplier"},
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"final_logit_softcapping", "final_logit_softcapping"},
    {"attention.temperature_scale", "llama_4_scaling_beta"},
    {"attention.clamp_kqv", "clip_qkv"},
    {"attention.max_alibi_bias", "alibi_bias_max"},
    {"expert_weights_scale", "routed_scaling_factor"},
};

Status AddArithmetic(const ArchKeys& keys, Json::Object& config) {
  for (const ArithmeticKey& key : kArithmeticKeys) {
    SGLRUN_ASSIGN_OR_RETURN(const auto value, keys.Float(key.gguf));
    if (value) config.emplace_back(key.hugging_face, *value);
  }
  return {};
}

Status RefuseOtherArithmetic(const ArchKeys& keys, const ConfigReader& reader) {
  for (const ArithmeticKey& key : kArithmeticKeys) {
    if (keys.Has(key.gguf) && !reader.WasRead(key.hugging_face)) {
      return Error{keys.place() + ": key " + keys.Name(key.gguf) + " is not supported"};
    }
  }
  return {};
}

constexpr struct {
  const char* gguf;
  const char* hugging_face;
} kExpertKeys[] = {
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    {"expert_shared_count", "n_shared_experts"},
    {"leading_dense_block_count", "first_k_dense_replace"},
    {"interleave_moe_layer_step", "moe_layer_interval"},
    {"expert_group_count", "n_group"},
};

Status AddExperts(const Family& family, const ArchKeys& keys, Json::Object& config) {
  for (const auto& key : kExpertKeys) {
    SGLRUN_ASSIGN_OR_RETURN(const auto value, keys.Int(key.gguf));
    if (value) config.emplace_back(key.hugging_face, *value);
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto renormalise, keys.Bool("expert_weights_norm"));
  if (renormalise) config.emplace_back("norm_topk_prob", *renormalise);
  // 1 is softmax and 2 is sigmoid in llama.cpp, 0 is not stated.
  SGLRUN_ASSIGN_OR_RETURN(const auto gate, keys.Int("expert_gating_func"));
  if (gate.value_or(0) != 0) {
    config.emplace_back("scoring_func", std::string(*gate == 2   ? "sigmoid"
                                                    : *gate == 1 ? "softmax"
                                                                 : "other"));
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto experts, keys.Int("expert_count"));
  if (experts.value_or(0) <= 0 || family.has_experts) return {};
  return Error{keys.place() + ": key " + keys.Name("expert_count") + " is " +
               std::to_string(*experts) + ": mixtures of experts are not supported"};
}

// Absent: as wide as the heads that fill the residual stream.
Result<std::int64_t> ReadHeadDim(const ArchKeys& keys, std::int64_t hidden, std::int64_t heads) {
  SGLRUN_ASSIGN_OR_RETURN(const auto stated, keys.Int("attention.key_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto value_dim, keys.Int("attention.value_length"));
  heads = std::max<std::int64_t>(heads, 1);
  if (!stated && hidden % heads != 0) {
    return Error{keys.place() + ": embedding_length " + std::to_string(hidden) +
                 " is not a multiple of attention.head_count " + std::to_string(heads)};
  }
  const std::int64_t head_dim = stated.value_or(hidden / heads);
  if (value_dim.value_or(head_dim) == head_dim) return head_dim;
  return Error{keys.place() + ": attention.value_length " + std::to_string(*value_dim) +
               " differs from attention.key_length " + std::to_string(head_dim) +
               ", which is not supported"};
}

// The sizes under their names in a config.json.
Result<Json::Object> ReadSizes(const ArchKeys& keys, std::span<const formats::GgufTensor> tensors) {
  SGLRUN_ASSIGN_OR_RETURN(const auto hidden, keys.RequireInt("embedding_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto inner, keys.RequireInt("feed_forward_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto blocks, keys.RequireInt("block_count"));
  // Of them, the layers that predict further tokens, which nothing here needs.
  SGLRUN_ASSIGN_OR_RETURN(const auto predicting, keys.Int("nextn_predict_layers"));
  const std::int64_t layers = blocks - std::clamp<std::int64_t>(predicting.value_or(0), 0, blocks);
  SGLRUN_ASSIGN_OR_RETURN(const auto heads, keys.RequireInt("attention.head_count"));
  SGLRUN_ASSIGN_OR_RETURN(const auto context, keys.RequireInt("context_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto kv_heads, keys.Int("attention.head_count_kv"));
  SGLRUN_ASSIGN_OR_RETURN(auto eps, keys.Float("attention.layer_norm_rms_epsilon"));
  if (!eps) {
    SGLRUN_ASSIGN_OR_RETURN(eps, keys.Float("attention.layer_norm_epsilon"));
  }
  if (!eps) {
    return Error{keys.place() + ": key " + keys.Name("attention.layer_norm_rms_epsilon") +
                 " is missing"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto head_dim, ReadHeadDim(keys, hidden, heads));
  const formats::GgufTensor* embedding = FindTensor(tensors, "token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    return Error{keys.place() + ": the matrix token_embd.weight is missing"};
  }
  return Json::Object{{"hidden_size", hidden},
                      {"intermediate_size", inner},
                      {"num_hidden_layers", layers},
                      {"num_attention_heads", heads},
                      {"num_key_value_heads", kv_heads.value_or(heads)},
                      {"head_dim", head_dim},
                      {"vocab_size", embedding->shape[0]},
                      {"max_position_embeddings", context},
                      {"rms_norm_eps", *eps}};
}

Result<RopeSettings> ReadRope(const ArchKeys& keys, GgufRopeFactors factors, std::int64_t head_dim,
                              std::int64_t context_length) {
  RopeSettings settings;
  settings.divisors = std::move(factors.divisors);
  settings.max_position_embeddings = context_length;
  SGLRUN_ASSIGN_OR_RETURN(const auto dim, keys.Int("rope.dimension_count"));
  settings.rotary_dim = dim.value_or(head_dim);
  if (settings.rotary_dim > head_dim) {
    return Error{keys.place() + ": key " + keys.Name("rope.dimension_count") + " is " +
                 std::to_string(settings.rotary_dim) + ", a head has " + std::to_string(head_dim)};
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto theta, keys.Float("rope.freq_base"));
  settings.theta = theta.value_or(10000.0);
  SGLRUN_ASSIGN_OR_RETURN(const auto type, keys.String("rope.scaling.type"));
  settings.type = std::string(type.value_or("none"));
  SGLRUN_ASSIGN_OR_RETURN(settings.factor, keys.Float("rope.scaling.factor"));
  // A factor without a type is linear, as in llama.cpp; so is that of files older than these keys.
  SGLRUN_ASSIGN_OR_RETURN(const auto oldest, keys.Float("rope.scale_linear"));
  if (!settings.factor) settings.factor = oldest;
  const double factor = settings.factor.value_or(0);
  if (!type && factor != 0 && factor != 1) settings.type = "linear";
  SGLRUN_ASSIGN_OR_RETURN(settings.original_max_position_embeddings,
                          keys.Float("rope.scaling.original_context_length"));
  SGLRUN_ASSIGN_OR_RETURN(settings.beta_fast, keys.Float("rope.scaling.yarn_beta_fast"));
  SGLRUN_ASSIGN_OR_RETURN(settings.beta_slow, keys.Float("rope.scaling.yarn_beta_slow"));
  // Not 0: the scale of yarn is part of the scores' instead of the angles'.
  SGLRUN_ASSIGN_OR_RETURN(const auto multiplier, keys.Float("rope.scaling.yarn_log_multiplier"));
  if (multiplier.value_or(0) != 0) settings.mscale = settings.mscale_all_dim = multiplier;
  SGLRUN_ASSIGN_OR_RETURN(const auto attention, keys.Float("rope.scaling.attn_factor"));
  if (!factors.short_factors.empty()) {
    // Such files name no type, and state the whole attention factor.
    settings.type = "longrope";
    settings.short_factors = std::move(factors.short_factors);
    settings.attention_factor = attention;
  } else {
    settings.attention_factor_scale = attention.value_or(1.0);
  }
  return settings;
}

// Which layers slide is stated as one flag per layer, or as the period at which one does not.
Status ReadWindows(const ArchKeys& keys, GgufStatements& stated) {
  SGLRUN_ASSIGN_OR_RETURN(const auto window, keys.Int("attention.sliding_window"));
  if (window.value_or(0) < 0) {
    return Error{keys.place() + ": key " + keys.Name("attention.sliding_window") + " is negative"};
  }
  stated.window = window.value_or(0);
  if (const std::vector<bool>* slides = keys.Flags("attention.sliding_window_pattern")) {
    stated.slides = *slides;
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(stated.window_period, keys.Int("attention.sliding_window_pattern"));
  return {};
}

// End of text, of turn and of message all end an answer.
Result<SpecialTokens> ReadSpecialTokens(const formats::GgufFile& gguf) {
  const auto read = [&](const char* key) -> Result<std::optional<std::int32_t>> {
    SGLRUN_ASSIGN_OR_RETURN(const auto id, gguf.Int(std::string("tokenizer.ggml.") + key));
    if (!id) return std::optional<std::int32_t>();
    if (*id < 0 || *id > std::numeric_limits<std::int32_t>::max()) {
      return Error{gguf.place + ": key tokenizer.ggml." + key + " is " + std::to_string(*id) +
                   ", must be a token id"};
    }
    return std::optional<std::int32_t>(static_cast<std::int32_t>(*id));
  };
  SpecialTokens tokens;
  SGLRUN_ASSIGN_OR_RETURN(tokens.bos, read("bos_token_id"));
  for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    SGLRUN_ASSIGN_OR_RETURN(const auto id, read(key));
    auto& all = tokens.eos;
    if (id && std::find(all.begin(), all.end(), *id) == all.end()) all.push_back(*id);
  }
  return tokens;
}

Result<ModelSpec> ReadSpec(const Family& family, const ArchKeys& keys,
                           std::span<const formats::GgufTensor> tensors,
                           GgufRopeFactors rope_factors) {
  SGLRUN_ASSIGN_OR_RETURN(Json::Object sizes, ReadSizes(keys, tensors));
  SGLRUN_RETURN_IF_ERROR(AddArithmetic(keys, sizes));
  SGLRUN_RETURN_IF_ERROR(AddExperts(family, keys, sizes));
  // GGUF has no keys for these: the tensors say so.
  const auto has = [&](const char* name) { return FindTensor(tensors, name) != nullptr; };
  sizes.emplace_back("tie_word_embeddings", !has("output.weight"));
  SGLRUN_ASSIGN_OR_RETURN(const auto parallel, keys.Bool("use_parallel_residual"));
  if (parallel) sizes.emplace_back("use_parallel_residual", *parallel);
  const Json config(std::move(sizes));
  GgufStatements stated{.rope = {},
                        .qkv_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias"),
                        .output_bias = has("blk.0.attn_output.bias"),
                        .mlp_bias = has("blk.0.ffn_up.bias"),
                        .head_norm = has("blk.0.attn_q_norm.weight")};
  SGLRUN_ASSIGN_OR_RETURN(stated.rope,
                          ReadRope(keys, std::move(rope_factors), config.Find("head_dim")->as_int(),
                                   config.Find("max_position_embeddings")->as_int()));
  SGLRUN_RETURN_IF_ERROR(ReadWindows(keys, stated));
  SGLRUN_ASSIGN_OR_RETURN(stated.sliding_rope_theta, keys.Float("rope.freq_base_swa"));
  ConfigReader reader(config, keys.place(), &stated);
  ModelSpec spec = family.read(reader);
  spec.family = family.name;
  SGLRUN_RETURN_IF_ERROR(RefuseOtherArithmetic(keys, reader));
  SGLRUN_RETURN_IF_ERROR(reader.status());
  if (const auto fault = FaultOf(spec)) return Error{keys.place() + ": " + *fault};
  return spec;
}

}  // namespace

Result<GgufConfig> ReadGgufConfig(const formats::GgufFile& gguf,
                                  std::span<const formats::GgufTensor> tensors,
                                  GgufRopeFactors rope_factors) {
  GgufConfig result;
  SGLRUN_ASSIGN_OR_RETURN(result.family, ChooseFamily(gguf));
  const ArchKeys keys(gguf, result.family->gguf_name);
  SGLRUN_ASSIGN_OR_RETURN(result.spec,
                          ReadSpec(*result.family, keys, tensors, std::move(rope_factors)));
  SGLRUN_ASSIGN_OR_RETURN(result.tokens, ReadSpecialTokens(gguf));
  return result;
}

}  // namespace sglrun::model
