// Texts that must not occur in any string or key as it is written (the "excludes" of the format
// json_schema). The quotes or marks around a string are not considered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

class ExcludedTexts {
 public:
  explicit ExcludedTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  bool none() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }

  bool AreIn(std::string_view written) const;
  // In a string or key of the value, as JSON writes it.
  bool AreInValue(const Json& value) const;

  // The texts of an expression between quotes (AppendString) without those that contain an excluded
  // text. kTooLarge if lengths and excludes together need too many states.
  ExprResult Without(FrontEnd& front, ExprId quoted) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace sglrun::grammar
