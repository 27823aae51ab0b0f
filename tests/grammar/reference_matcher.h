// The meaning of a Grammar, said as plainly as possible: which texts are members, which texts
// begin one. Slow, small, and independent of src/grammar/matcher, which is tested against it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

bool IsMember(const Grammar& grammar, std::string_view text);
bool IsPrefix(const Grammar& grammar, std::string_view text);  // some member starts with `text`

// The same over text mixed with tokens: a symbol below 256 is a byte, 256 + id is the token `id`
// taken by a token element.
using Symbols = std::vector<std::int32_t>;
inline constexpr std::int32_t kFirstTokenSymbol = 256;
Symbols SymbolsOf(std::string_view text);
bool IsMember(const Grammar& grammar, const Symbols& symbols);
bool IsPrefix(const Grammar& grammar, const Symbols& symbols);

}  // namespace sglrun::grammar
