// The text of a schema as a Json value whose numbers keep their spelling, and equality of such
// values in the sense of JSON Schema.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "grammar/base/decimal.h"
#include "grammar/base/limits.h"

namespace sglrun::grammar {

// Numbers of the result are Json::is_number_text(); their values are DecimalOf(). Nested at most
// Limits::nesting deep, so that functions over it may recurse. kInvalid, kTooLarge.
Result<ParsedJson, GrammarError> ParseSchemaText(std::string_view text, const Limits& limits);

// The exact value of a number of such a document. kTooLarge for an absurd exponent.
Result<Decimal, GrammarError> DecimalOf(const Json& number);

// A text that two values share exactly when they are equal: numbers by value (1 = 1.0 = 1e0),
// strings by code points, objects without regard to order.
std::string EqualityKey(const Json& value);

}  // namespace sglrun::grammar
