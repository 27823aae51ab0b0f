// JSON strings under constraints, on the decoded value: as an expression with
// its quotes, and as a test of one value. Serves property names too.
//
// Patterns are checked when a language is built: kInvalid, kUnsupported, kTooLarge as RegexDfa says
// (the message names the pattern; the caller adds the pointer). Formats must be of
// FormatKind::kString: the caller deals with the other kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "grammar/ir/counted_text.h"
#include "grammar/ir/front_end.h"
#include "grammar/json_schema/format.h"

namespace sglrun::grammar {

// All that a location says about strings, in conjunction. Lengths count code points. The second
// half is what `not` leaves.
struct StringConstraints {
  std::int64_t min_length = 0;
  std::optional<std::int64_t> max_length = {};
  std::vector<std::string> patterns = {};  // each found somewhere in the value
  std::vector<std::string> formats = {};

  std::vector<std::string> not_patterns = {};
  std::vector<std::string> not_formats = {};
  std::set<std::string> excluded = {};  // whole values, UTF-8

  friend bool operator==(const StringConstraints&, const StringConstraints&) = default;
};

StringConstraints Conjoin(const StringConstraints& a, const StringConstraints& b);

// Engines of regular expressions disagree about some characters (RegexFlags::wide), and validators
// about formats: some values satisfy constraints here but not there.
enum class Reading : std::uint8_t {
  kEvery,  // the values that satisfy the constraints whoever reads them
  kSome,   // those that may satisfy them
};

// The texts that match a pattern: those of an automaton over scalar values within lengths.
struct PatternTexts {
  SharedDfa chars;
  LengthBounds lengths = {};
};

// The languages of patterns, each found once: schemas repeat them, and proofs ask again and again.
class PatternLanguages {
 public:
  // kEvery: what matches in every engine; kSome: what matches in any.
  Result<PatternTexts, GrammarError> Of(const std::string& pattern, Reading reading,
                                        Budget& budget);

 private:
  std::unordered_map<std::string, PatternTexts> known_[2];  // by reading
};

// The decoded values: those of an automaton over scalar values, which is minimal, within lengths.
struct StringTexts {
  Dfa chars;
  LengthBounds lengths = {};
};
Result<StringTexts, GrammarError> StringTextsOf(const StringConstraints& constraints,
                                                PatternLanguages& patterns, Budget& budget,
                                                Reading reading = Reading::kEvery);

// The decoded values as one automaton over scalar values, for products of the caller's own (cells
// of patternProperties). No constraint gives AnyText().
DfaResult StringValues(const StringConstraints& constraints, PatternLanguages& patterns,
                       Budget& budget, Reading reading = Reading::kEvery);

// Whether no string satisfies the constraints, in that reading.
Result<bool, GrammarError> IsUnsatisfiable(const StringConstraints& constraints,
                                           PatternLanguages& patterns, Budget& budget,
                                           Reading reading = Reading::kEvery);

// Such a string with its quotes; Never when there is none. If the constraints are lengths alone,
// every escape that JSON allows is accepted and lengths are counters. Otherwise each character has
// one spelling, with necessary escapes only.
ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints,
                        PatternLanguages& patterns);
ExprResult AppendString(FrontEnd& front, const StringConstraints& constraints);
// The same for a set of decoded values.
ExprResult AppendStringOf(FrontEnd& front, const Dfa& values);

// Tests single values against the constraints; built once for many values.
class StringTest {
 public:
  static Result<StringTest, GrammarError> Create(const StringConstraints& constraints,
                                                 PatternLanguages& patterns, Budget& budget,
                                                 Reading reading = Reading::kEvery);
  bool Accepts(std::string_view utf8) const;  // must be valid UTF-8

 private:
  StringTest() = default;

  LengthBounds lengths_;
  std::vector<SharedDfa> wanted_, forbidden_;
  std::set<std::string> excluded_;
};

}  // namespace sglrun::grammar
