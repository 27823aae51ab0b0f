#include "model/files/adapter_config.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/log.h"
#include "base/strings.h"

namespace sglrun::model {
namespace {

// What the reader uses.
constexpr std::string_view kUsed[] = {"peft_type",
                                      "r",
                                      "lora_alpha",
                                      "use_rslora",
                                      "rank_pattern",
                                      "alpha_pattern",
                                      "use_dora",
                                      "bias",
                                      "base_model_name_or_path",
                                      "init_lora_weights"};
// What concerns training, or what the tensors of the adapter say themselves.
constexpr std::string_view kWithoutEffect[] = {
    "auto_mapping",   "corda_config",        "eva_config",   "exclude_modules",   "inference_mode",
    "layers_pattern", "layers_to_transform", "loftq_config", "lora_dropout",      "lora_ga_config",
    "megatron_core",  "modules_to_save",     "peft_version", "qalora_group_size", "revision",
    "runtime_config", "target_modules",      "task_type"};

bool IsAmong(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// null, false, an empty text, list or object.
bool IsOff(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_bool()) return !value.as_bool();
  if (value.is_string()) return value.as_string().empty();
  if (value.is_array()) return value.as_array().empty();
  return value.is_object() && value.as_object().empty();
}

Error Wrong(const std::string& place, std::string_view key, const Json& found,
            const std::string& expected) {
  return Error{place + ": " + std::string(key) + " is " + found.Excerpt() + ", must be " +
               expected};
}

Result<double> PositiveNumber(const Json& value, std::string_view key, const std::string& place,
                              bool is_whole) {
  const double number = value.is_number() ? value.as_double() : 0;
  const bool fits = number > 0 && std::isfinite(number) && number <= 1e9;
  if (fits && (!is_whole || number == std::floor(number))) return number;
  return Wrong(place, key, value, is_whole ? "a whole number above 0" : "a number above 0");
}

Result<bool> Flag(const Json& object, std::string_view key, const std::string& place) {
  const Json* value = object.Find(key);
  if (value == nullptr || value->is_null()) return false;
  if (value->is_bool()) return value->as_bool();
  return Wrong(place, key, *value, "true or false");
}

Status CheckKeys(const Json& object, const std::string& place) {
  const Json* type = object.Find("peft_type");
  if (type == nullptr || !type->is_string() || type->as_string() != "LORA") {
    return Wrong(place, "peft_type", type == nullptr ? Json() : *type, "\"LORA\"");
  }
  const Json* bias = object.Find("bias");
  const bool has_bias =
      bias != nullptr && !IsOff(*bias) && !(bias->is_string() && bias->as_string() == "none");
  if (has_bias) return Wrong(place, "bias", *bias, "\"none\": adapters with biases are not served");
  for (const auto& [key, value] : object.as_object()) {
    if (IsOff(value) || IsAmong(key, kUsed) || IsAmong(key, kWithoutEffect)) continue;
    return Error{place + ": " + key + " is " + value.Excerpt() +
                 ", which changes results in a way that is not served"};
  }
  return {};
}

// Such an adapter fits weights that its training changed.
void WarnOfChangedBase(const Json& object, const std::string& place) {
  const Json* init = object.Find("init_lora_weights");
  if (init == nullptr || !init->is_string()) return;
  const std::string name = AsciiLowerCase(init->as_string());
  for (const char* changing : {"pissa", "olora", "corda", "loftq", "lora_ga"}) {
    if (!name.starts_with(changing)) continue;
    LogWarning(place + ": init_lora_weights is " + init->Excerpt() +
               ": training changed the base weights, so the adapter is right only for those, or if "
               "it was converted when it was saved");
  }
}

}  // namespace

Result<AdapterConfig> AdapterConfig::Parse(const Json& object, const std::string& place) {
  SGLRUN_RETURN_IF_ERROR(CheckKeys(object, place));
  AdapterConfig config;
  if (const Json* rank = object.Find("r")) {
    SGLRUN_ASSIGN_OR_RETURN(config.rank_, PositiveNumber(*rank, "r", place, true));
  }
  if (const Json* alpha = object.Find("lora_alpha")) {
    SGLRUN_ASSIGN_OR_RETURN(config.alpha_, PositiveNumber(*alpha, "lora_alpha", place, false));
  }
  SGLRUN_ASSIGN_OR_RETURN(config.use_rslora_, Flag(object, "use_rslora", place));
  SGLRUN_ASSIGN_OR_RETURN(config.use_dora_, Flag(object, "use_dora", place));
  SGLRUN_ASSIGN_OR_RETURN(config.ranks_, ReadPatterns(object, "rank_pattern", place));
  SGLRUN_ASSIGN_OR_RETURN(config.alphas_, ReadPatterns(object, "alpha_pattern", place));
  const Json* base = object.Find("base_model_name_or_path");
  if (base != nullptr && base->is_string()) config.base_model_ = base->as_string();
  WarnOfChangedBase(object, place);
  return config;
}

Result<AdapterConfig::Patterns> AdapterConfig::ReadPatterns(const Json& object, const char* key,
                                                            const std::string& place) {
  Patterns patterns;
  const Json* value = object.Find(key);
  if (value == nullptr || value->is_null()) return patterns;
  if (!value->is_object()) return Wrong(place, key, *value, "an object");
  for (const auto& [name, number] : value->as_object()) {
    SGLRUN_ASSIGN_OR_RETURN(
        const double amount,
        PositiveNumber(number, std::string(key) + "." + name, place, key[0] == 'r'));
    auto pattern = ModulePattern::Compile(name);
    if (!pattern.ok()) return Error{place + ": " + key + ": " + pattern.error().message};
    patterns.emplace_back(std::move(*pattern), amount);
  }
  return patterns;
}

Result<double> AdapterConfig::Look(const Patterns& patterns, std::string_view path,
                                   double otherwise) {
  for (const auto& [pattern, value] : patterns) {
    SGLRUN_ASSIGN_OR_RETURN(const bool matches, pattern.Matches(path));
    if (matches) return value;
  }
  return otherwise;
}

Result<std::int64_t> AdapterConfig::RankOf(std::string_view path) const {
  SGLRUN_ASSIGN_OR_RETURN(const double rank, Look(ranks_, path, rank_));
  return static_cast<std::int64_t>(rank);
}

Result<float> AdapterConfig::ScaleOf(std::string_view path) const {
  SGLRUN_ASSIGN_OR_RETURN(const double rank, Look(ranks_, path, rank_));
  SGLRUN_ASSIGN_OR_RETURN(const double alpha, Look(alphas_, path, alpha_));
  return static_cast<float>(alpha / (use_rslora_ ? std::sqrt(rank) : rank));
}

}  // namespace sglrun::model
