// Regular expressions as automata over characters: for places where a pattern is
// intersected with other constraints. AppendRegex (front_end.h) is the other door: it keeps counted
// repetitions as counters instead of unrolling them.
#pragma once

#include <string_view>

#include "grammar/automaton/dfa.h"
#include "grammar/ir/counted_text.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

enum class RegexMatch : std::uint8_t {
  kFull,    // the whole text, as for the regex field
  kSearch,  // somewhere in the text, as for "pattern"
};

// Texts that match: the members of an automaton over scalar values within the bounds.
struct RegexTexts {
  Dfa chars;
  LengthBounds lengths = {};
};
using RegexTextsResult = Result<RegexTexts, GrammarError>;
// Large counts become bounds where they can. flags.json_string is ignored here.
RegexTextsResult RegexTextsOf(std::string_view pattern, RegexMatch match, RegexFlags flags,
                              Budget& budget);

// The language of texts that match, over scalar values; empty when none does. flags.json_string is
// ignored here.
DfaResult RegexDfa(std::string_view pattern, RegexMatch match, RegexFlags flags, Budget& budget);

}  // namespace sglrun::grammar
