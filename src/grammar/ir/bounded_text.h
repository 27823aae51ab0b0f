// Texts of a rule or format with a limit of characters or tokens (max_chars, max_tokens). A
// bounded text must be regular: it is followed character by character to where it can end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

// Called before a rule's body is looked at.
using BeforeCall = std::function<Result<void, GrammarError>(RuleId rule)>;

// The language of an expression as one automaton over bytes. kUnsupported where there is none (a
// rule that calls itself, tokens), with a message that is a part of a sentence without its place.
DfaResult RegularLanguage(FrontEnd& front, ExprId expr, const BeforeCall& before_call);

struct TextBounds {
  std::optional<std::int64_t> chars = {}, tokens = {};
};
// The members of `bytes` (UTF-8) within the bounds. Once a bound is used up the text must end if it
// can, or as soon as it can.
ExprResult BoundedText(FrontEnd& front, const Dfa& bytes, const TextBounds& bounds);

}  // namespace sglrun::grammar
