// The names of "format" and the texts that each allows.
//
// Under-acceptances: no year 0000; leap seconds only with offsets of whole quarters of an hour; no
// host name label with "--" as third and fourth character (an A-label's validity is no regular
// matter); idn-hostname with up to four labels, of letters that need no context, up to eight where
// they are beyond ASCII (the limits are on their encoding); iri without blanks and invisible
// characters; relative JSON pointers without index manipulation (drafts disagree); regex with groups
// at most two deep, unless nothing else constrains the string (regex_format.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "grammar/automaton/dfa.h"
#include "grammar/json_schema/number_constraints.h"

namespace sglrun::grammar {

enum class FormatKind : std::uint8_t {
  kString,   // asserted on strings: FormatDfa
  kNumber,   // asserted on numbers (or nothing to assert): FormatNumbers
  kUnknown,  // an annotation; worth a note
};

FormatKind KindOfFormat(std::string_view name);

// The texts of a kString format, over scalar values, minimal. Built on first use and kept for the
// life of the process; safe to call from several threads.
using SharedDfa = std::shared_ptr<const Dfa>;
SharedDfa FormatDfa(std::string_view name);
// The same as it stands between the quotes of a JSON string, over bytes.
SharedDfa SpelledFormatDfa(std::string_view name);

// For texts that must not have the format: all texts that any validator might accept, a superset of
// FormatDfa. nullptr if no text is rejected by all validators.
SharedDfa WideFormatDfa(std::string_view name);

// What a kNumber format says: int32 and int64 are integers within their range, float and double
// say nothing.
NumberConstraints FormatNumbers(std::string_view name);

}  // namespace sglrun::grammar
