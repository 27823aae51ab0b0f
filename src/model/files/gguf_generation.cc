#include <charconv>
#include <cmath>

#include "model/files/gguf_model.h"

namespace sglrun::model {
namespace {

constexpr std::string_view kPlace = "general.sampling";

std::string GenerationKey(std::string_view name) {
  return std::string(kPlace) + "." + std::string(name);
}

// The decimal number that a file's float32 was made of: 0.95, where the float is 0.949999988.
double Decimal(double value) {
  const auto single = static_cast<float>(value);
  if (!std::isfinite(single) || static_cast<double>(single) != value) return value;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, single).ptr;
  std::from_chars(digits, end, value);
  return value;
}

}  // namespace

Result<GenerationDefaults> ReadGgufGeneration(const formats::GgufFile& gguf) {
  GenerationDefaults defaults;
  const std::pair<std::string_view, std::optional<double>*> numbers[] = {
      {"temp", &defaults.temperature},
      {"top_p", &defaults.top_p},
      {"min_p", &defaults.min_p},
      {"penalty_repeat", &defaults.repetition_penalty}};
  bool stated = false;
  for (const auto& [name, number] : numbers) {
    SGLRUN_ASSIGN_OR_RETURN(*number, gguf.Float(GenerationKey(name)));
    if (number->has_value()) *number = Decimal(**number);
    stated = stated || number->has_value();
  }
  SGLRUN_ASSIGN_OR_RETURN(defaults.top_k, gguf.Int(GenerationKey("top_k")));
  if (stated || defaults.top_k) defaults.place = kPlace;
  return defaults;
}

}  // namespace sglrun::model
