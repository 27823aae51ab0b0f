// Format "regex": patterns of ECMA-262 with the flag u, as JSON Schema recommends. Groups nest, so
// the texts are no regular language; only a string with no other constraint has them to any depth.
#pragma once

#include <string>
#include <string_view>

#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

inline constexpr std::string_view kRegexFormat = "regex";

// Those with groups at most two deep, none of them named, as a pattern of whole texts.
std::string RegexSourcePattern();

// All patterns of this subset, as they stand between the quotes of a JSON string.
//
// Left out: back-references (numbers of groups and equal names are no context-free matter), \0,
// \u{...}, \p with scripts, a second named group, modifiers such as (?i:...), bounds that are
// long and nearly equal, and ranges of a class whose order is not plain: those between escapes, or
// between two characters beyond ASCII.
ExprId AppendRegexSource(Grammar& grammar);

}  // namespace sglrun::grammar
