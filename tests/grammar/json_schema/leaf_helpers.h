// Short ways to ask the leaves of JSON Schema, for their tests.
#pragma once

#include <string_view>

#include "../automaton/helpers.h"
#include "grammar/json_schema/decimal.h"

namespace sglrun::grammar {

inline Decimal ReadDecimal(std::string_view text) {
  return Decimal::Parse(text).value();
}

}  // namespace sglrun::grammar
