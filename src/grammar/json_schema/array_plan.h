// What an alternative says about an array, put together. Serves proofs and generation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {

struct ArrayPlan {
  std::vector<FormulaId> prefix;
  FormulaId rest = kTrue;  // every item after the prefix
  std::int64_t min = 0;
  std::optional<std::int64_t> max;                 // cut where an item is kFalse
  std::vector<const formula::Contains*> contains;  // those that assert something
  const formula::UniqueItems* unique = nullptr;

  FormulaId ItemAt(std::int64_t index) const {
    return index < static_cast<std::int64_t>(prefix.size())
               ? prefix[static_cast<std::size_t>(index)]
               : rest;
  }
};

ArrayPlan PlanArray(NormalForm& normal_form, const Alternative& alternative);

}  // namespace sglrun::grammar
