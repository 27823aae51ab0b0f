// Python's comparisons, truth and hashes of values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jinja/runtime.h"
#include "jinja/value.h"

namespace sglrun::jinja {

// Values nested deeper than this cannot be compared, hashed or printed: a rendering that tries ends
// (meter.h).
inline constexpr int kMaxValueDepth = 400;

bool Truth(const Value& value);
bool Equal(const Value& a, const Value& b, int depth = 0);
// The order of a and b: less, equal, greater as -1, 0, 1; 2 when they are unordered (NaN).
// `symbol` names the operator in the error, "<".
Try<int> Compare(const Value& a, const Value& b, const char* symbol, int depth = 0);
Try<bool> LessThan(const Value& a, const Value& b);
// a < b, a <= b, a > b, a >= b.
Try<bool> Ordered(const Value& a, const Value& b, const std::string& symbol);
// Fails on a value that can change.
Try<std::uint64_t> Hash(const Value& value, int depth = 0);
std::uint64_t HashText(std::string_view text);
// Python's `item in container`.
Try<bool> Contains(Runtime& runtime, const Value& container, const Value& item);

// "str", "int", "NoneType", ... as Python names the class.
std::string TypeName(const Value& value);
// How jinja2 speaks of a value in errors: "None", "dict object", "builtins.str object".
std::string ObjectName(const Value& value);

}  // namespace sglrun::jinja
