#include "model/gguf_config.h"

#include <algorithm>
#include <limits>

#include "model/config_check.h"
#include "model/rope_config.h"

namespace sglrun::model {
namespace {

// Keys below general.architecture's prefix.
class ArchKeys {
 public:
  ArchKeys(const GgufFile& gguf, std::string_view architecture)
      : gguf_(&gguf), prefix_(std::string(architecture) + ".") {}

  std::string Name(std::string_view key) const { return prefix_ + std::string(key); }
  bool Has(std::string_view key) const { return gguf_->metadata.contains(Name(key)); }

  Result<std::optional<double>> Float(std::string_view key) const {
    return gguf_->Float(Name(key));
  }
  Result<std::optional<std::string_view>> String(std::string_view key) const {
    return gguf_->String(Name(key));
  }

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

  Result<std::int64_t> RequireInt(std::string_view key) const {
    SGLRUN_ASSIGN_OR_RETURN(const std::optional<std::int64_t> value, Int(key));
    if (value.has_value()) return *value;
    return Error{gguf_->place + ": key " + Name(key) + " is missing"};
  }

  const std::string& place() const { return gguf_->place; }

 private:
  const GgufFile* gguf_;
  std::string prefix_;
};

const GgufTensor* FindTensor(std::span<const GgufTensor> tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const GgufTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Result<const Family*> ChooseFamily(const GgufFile& gguf) {
  SGLRUN_ASSIGN_OR_RETURN(const auto architecture, gguf.String("general.architecture"));
  if (!architecture) return Error{gguf.place + ": key general.architecture is missing"};
  if (const Family* family = FindGgufFamily(*architecture)) return family;
  return Error{gguf.place + ": general.architecture is \"" + std::string(*architecture) +
               "\", which is not supported; supported are " + FamilyNames() +
               " (GGUF files of mistral name llama)"};
}

// Keys that would change the arithmetic and that the plain decoder does not have.
Status RefuseOtherArithmetic(const ArchKeys& keys) {
  for (const char* key : {"attention.scale", "logit_scale", "residual_scale", "embedding_scale",
                          "attn_logit_softcapping", "final_logit_softcapping",
                          "attention.clamp_kqv", "attention.max_alibi_bias"}) {
    if (keys.Has(key)) {
      return Error{keys.place() + ": key " + keys.Name(key) + " is not supported"};
    }
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto experts, keys.Int("expert_count"));
  if (experts.value_or(0) > 0) {
    return Error{keys.place() + ": key " + keys.Name("expert_count") + " is " +
                 std::to_string(*experts) + ": mixtures of experts are not supported"};
  }
  return {};
}

Status ReadSizes(const ArchKeys& keys, std::span<const GgufTensor> tensors, ModelConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(config.hidden_size, keys.RequireInt("embedding_length"));
  SGLRUN_ASSIGN_OR_RETURN(config.intermediate_size, keys.RequireInt("feed_forward_length"));
  SGLRUN_ASSIGN_OR_RETURN(config.num_hidden_layers, keys.RequireInt("block_count"));
  SGLRUN_ASSIGN_OR_RETURN(config.num_attention_heads, keys.RequireInt("attention.head_count"));
  SGLRUN_ASSIGN_OR_RETURN(config.context_length, keys.RequireInt("context_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto kv_heads, keys.Int("attention.head_count_kv"));
  config.num_key_value_heads = kv_heads.value_or(config.num_attention_heads);
  SGLRUN_ASSIGN_OR_RETURN(const auto eps, keys.Float("attention.layer_norm_rms_epsilon"));
  if (!eps) {
    return Error{keys.place() + ": key " + keys.Name("attention.layer_norm_rms_epsilon") +
                 " is missing"};
  }
  config.rms_norm_eps = static_cast<float>(*eps);

  SGLRUN_ASSIGN_OR_RETURN(const auto head_dim, keys.Int("attention.key_length"));
  SGLRUN_ASSIGN_OR_RETURN(const auto value_dim, keys.Int("attention.value_length"));
  const std::int64_t heads = std::max<std::int64_t>(config.num_attention_heads, 1);
  if (!head_dim && config.hidden_size % heads != 0) {
    return Error{keys.place() + ": embedding_length " + std::to_string(config.hidden_size) +
                 " is not a multiple of attention.head_count " + std::to_string(heads)};
  }
  config.head_dim = head_dim.value_or(config.hidden_size / heads);
  if (value_dim.value_or(config.head_dim) != config.head_dim) {
    return Error{keys.place() + ": attention.value_length " + std::to_string(*value_dim) +
                 " differs from attention.key_length " + std::to_string(config.head_dim) +
                 ", which is not supported"};
  }
  const GgufTensor* embedding = FindTensor(tensors, "token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    return Error{keys.place() + ": the matrix token_embd.weight is missing"};
  }
  config.vocab_size = embedding->shape[0];
  return {};
}

// GGUF has no keys for these: the tensors tell.
void ReadStructure(std::span<const GgufTensor> tensors, ModelConfig& config) {
  const auto has = [&](const char* name) { return FindTensor(tensors, name) != nullptr; };
  config.qkv_bias = has("blk.0.attn_q.bias");
  config.output_bias = has("blk.0.attn_output.bias");
  config.mlp_bias = has("blk.0.ffn_gate.bias");
  config.tie_word_embeddings = !has("output.weight");
}

Result<RopeConfig> ReadRope(const ArchKeys& keys, std::vector<float> divisors,
                            const ModelConfig& config) {
  RopeSettings settings;
  settings.divisors = std::move(divisors);
  settings.max_position_embeddings = config.context_length;
  SGLRUN_ASSIGN_OR_RETURN(const auto dim, keys.Int("rope.dimension_count"));
  settings.rotary_dim = dim.value_or(config.head_dim);
  if (settings.rotary_dim > config.head_dim) {
    return Error{keys.place() + ": key " + keys.Name("rope.dimension_count") + " is " +
                 std::to_string(settings.rotary_dim) + ", a head has " +
                 std::to_string(config.head_dim)};
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto theta, keys.Float("rope.freq_base"));
  settings.theta = theta.value_or(10000.0);
  SGLRUN_ASSIGN_OR_RETURN(const auto type, keys.String("rope.scaling.type"));
  settings.type = std::string(type.value_or("none"));
  SGLRUN_ASSIGN_OR_RETURN(settings.factor, keys.Float("rope.scaling.factor"));
  // Files older than rope.scaling.* state a linear factor alone.
  SGLRUN_ASSIGN_OR_RETURN(const auto linear, keys.Float("rope.scale_linear"));
  if (linear && !type && *linear != 1.0) {
    settings.type = "linear";
    settings.factor = linear;
  }
  SGLRUN_ASSIGN_OR_RETURN(settings.original_max_position_embeddings,
                          keys.Float("rope.scaling.original_context_length"));
  SGLRUN_ASSIGN_OR_RETURN(settings.beta_fast, keys.Float("rope.scaling.yarn_beta_fast"));
  SGLRUN_ASSIGN_OR_RETURN(settings.beta_slow, keys.Float("rope.scaling.yarn_beta_slow"));
  SGLRUN_ASSIGN_OR_RETURN(RopeConfig rope, BuildRope(settings, keys.place()));
  // Unlike Hugging Face's attention_factor, GGUF's multiplies the computed one.
  SGLRUN_ASSIGN_OR_RETURN(const auto attention, keys.Float("rope.scaling.attn_factor"));
  if (settings.type == "yarn") rope.attention_factor *= static_cast<float>(attention.value_or(1.0));
  return rope;
}

Status ReadWindows(const ArchKeys& keys, ModelConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(const auto window, keys.Int("attention.sliding_window"));
  if (window.value_or(0) < 0) {
    return Error{keys.place() + ": key " + keys.Name("attention.sliding_window") + " is negative"};
  }
  config.sliding_window.assign(static_cast<std::size_t>(config.num_hidden_layers),
                               window.value_or(0));
  return {};
}

// End of text, of turn and of message all end an answer.
Status ReadSpecialIds(const GgufFile& gguf, ModelConfig& config) {
  const auto read = [&](const char* key) -> Result<std::optional<std::int32_t>> {
    SGLRUN_ASSIGN_OR_RETURN(const auto id, gguf.Int(std::string("tokenizer.ggml.") + key));
    if (!id) return std::optional<std::int32_t>();
    if (*id < 0 || *id > std::numeric_limits<std::int32_t>::max()) {
      return Error{gguf.place + ": key tokenizer.ggml." + key + " is " + std::to_string(*id) +
                   ", must be a token id"};
    }
    return std::optional<std::int32_t>(static_cast<std::int32_t>(*id));
  };
  SGLRUN_ASSIGN_OR_RETURN(config.bos_token_id, read("bos_token_id"));
  for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    SGLRUN_ASSIGN_OR_RETURN(const auto id, read(key));
    auto& all = config.eos_token_ids;
    if (id && std::find(all.begin(), all.end(), *id) == all.end()) all.push_back(*id);
  }
  return {};
}

}  // namespace

Result<GgufConfig> ReadGgufConfig(const GgufFile& gguf, std::span<const GgufTensor> tensors,
                                  std::vector<float> rope_divisors) {
  GgufConfig result;
  SGLRUN_ASSIGN_OR_RETURN(result.family, ChooseFamily(gguf));
  const ArchKeys keys(gguf, result.family->gguf_name);
  ModelConfig& config = result.config;
  config.architecture = result.family->name;
  SGLRUN_RETURN_IF_ERROR(RefuseOtherArithmetic(keys));
  SGLRUN_RETURN_IF_ERROR(ReadSizes(keys, tensors, config));
  SGLRUN_RETURN_IF_ERROR(CheckModelConfig(config, gguf.place));
  ReadStructure(tensors, config);
  result.family->set_structure(config);
  SGLRUN_ASSIGN_OR_RETURN(config.rope, ReadRope(keys, std::move(rope_divisors), config));
  SGLRUN_RETURN_IF_ERROR(ReadWindows(keys, config));
  SGLRUN_RETURN_IF_ERROR(ReadSpecialIds(gguf, config));
  return result;
}

}  // namespace sglrun::model
