// From an expression to an automaton over characters.
#pragma once

#include "base/result.h"
#include "grammar/automaton/nfa.h"
#include "grammar/base/limits.h"
#include "grammar/regex/simplify.h"

namespace sglrun::grammar {

// The texts that the node matches. Repetitions are unrolled: kTooLarge past
// Limits::expanded_states.
Result<Nfa, GrammarError> BuildNfa(const SimpleRegex& regex, RegexNodeId node,
                                   const Limits& limits);

}  // namespace sglrun::grammar
