// Patterns that name modules of a model, as PEFT's rank_pattern and alpha_pattern do.
#pragma once

#include <string>
#include <string_view>

#include "base/pcre2_ptr.h"
#include "base/result.h"

namespace sglrun::model {

// A name, or a regular expression, that matches the end of a module's path after a dot:
// re.match("(.*\.)?(KEY)$", path) of Python (peft.utils.other.get_pattern_key).
class ModulePattern {
 public:
  // An error says what is wrong with the expression.
  static Result<ModulePattern> Compile(const std::string& key);

  // An error if the search takes more steps than any reasonable pattern does.
  Result<bool> Matches(std::string_view path) const;

 private:
  explicit ModulePattern(std::string key, PcreCode code)
      : key_(std::move(key)), code_(std::move(code)) {}

  std::string key_;
  PcreCode code_;
};

}  // namespace sglrun::model
