// adapter_config.json of PEFT (peft.tuners.lora.config): what decides the results of an adapter.
// Keys whose meaning is not known are refused unless they are off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/files/module_pattern.h"

namespace sglrun::model {

class AdapterConfig {
 public:
  // `place` names the file in errors.
  static Result<AdapterConfig> Parse(const Json& object, const std::string& place);

  bool use_dora() const { return use_dora_; }
  const std::string& base_model() const { return base_model_; }

  // The rank of a module, from its path in the model that was adapted, and the factor of its
  // product: alpha / rank, or alpha / sqrt(rank).
  Result<std::int64_t> RankOf(std::string_view path) const;
  Result<float> ScaleOf(std::string_view path) const;

 private:
  using Patterns = std::vector<std::pair<ModulePattern, double>>;

  static Result<Patterns> ReadPatterns(const Json& object, const char* key,
                                       const std::string& place);
  // The value of the first pattern that matches.
  static Result<double> Look(const Patterns& patterns, std::string_view path, double otherwise);

  double rank_ = 8, alpha_ = 8;
  bool use_rslora_ = false, use_dora_ = false;
  Patterns ranks_, alphas_;
  std::string base_model_;
};

}  // namespace sglrun::model
