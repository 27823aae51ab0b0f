// Texts that may stand in no string and no key of a schema's values, as they are written (the
// "excludes" of the format json_schema). What is around a string, its quotes or marks, is not meant.
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

  // What is left of the texts of an expression between quotes (AppendString). kTooLarge where
  // lengths and excludes together need too many states.
  ExprResult Without(FrontEnd& front, ExprId quoted) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace sglrun::grammar
