// Deterministic automata and their algebra. One type for two alphabets: Unicode scalar values while
// languages are intersected and complemented (what a JSON string says), bytes once they are spelled
// (what the model writes). Comments name the alphabet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/base/limits.h"
#include "text/char_set.h"

namespace sglrun::grammar {

struct Dfa {
  struct Edge {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // inclusive
    std::int32_t target = 0;

    friend bool operator==(const Edge&, const Edge&) = default;
  };
  struct State {
    std::vector<Edge> edges;  // sorted, disjoint; a symbol without an edge rejects
    bool accepting = false;

    friend bool operator==(const State&, const State&) = default;
  };
  std::vector<State> states;  // state 0 is the start; none: the empty language

  // The target of a symbol, -1 when there is none.
  std::int32_t Next(std::int32_t state, std::uint32_t symbol) const;
  bool Accepts(std::span<const std::uint32_t> symbols) const;

  friend bool operator==(const Dfa&, const Dfa&) = default;
};

using DfaResult = Result<Dfa, GrammarError>;

// Languages to start from, over scalar values unless said otherwise.
Dfa NoText();
Dfa EmptyText();
Dfa AnyText();                                 // every text
Dfa OneOf(const CharSet& chars);               // texts of one character
Dfa ExactText(std::string_view utf8);          // must be valid UTF-8
Dfa Words(std::span<const std::string> utf8);  // a finite set
DfaResult LengthBetween(std::int64_t min, std::optional<std::int64_t> max, Budget& budget);

// The algebra. Every result is minimal: no unreachable and no dead states, equal languages over
// equal alphabets have equal Dfas. kTooLarge past Limits::automaton_states or ::product_steps.
DfaResult Intersect(const Dfa& a, const Dfa& b, Budget& budget);
DfaResult Unite(const Dfa& a, const Dfa& b, Budget& budget);
DfaResult Subtract(const Dfa& a, const Dfa& b, Budget& budget);  // a without b
DfaResult ComplementText(const Dfa& a, Budget& budget);          // AnyText() without a, minimal
DfaResult Concatenate(const Dfa& a, const Dfa& b, Budget& budget);
DfaResult Repeat(const Dfa& a, std::int64_t min, std::optional<std::int64_t> max, Budget& budget);
DfaResult Minimize(const Dfa& a, Budget& budget);
// The texts of `a` with min to max symbols.
DfaResult BoundLength(const Dfa& a, std::int64_t min, std::optional<std::int64_t> max,
                      Budget& budget);

bool IsEmpty(const Dfa& a);  // minimal or not
// All members when there are at most `limit` of them, in order of length, then of code points.
std::optional<std::vector<std::u32string>> Members(const Dfa& a, std::size_t limit);

// Where characters are counted, a byte that continues with a character is this symbol and the byte.
inline constexpr std::uint32_t kContinues = 0x100;
// Whether a state of such an automaton over bytes is inside a character.
inline bool IsInner(const Dfa::State& state) {
  return !state.edges.empty() && state.edges.front().first >= kContinues &&
         state.edges.back().last < 2 * kContinues;
}

// From scalar values to bytes. The first spells every character in UTF-8; the second spells it as
// it may stand between the quotes of a JSON string: raw where that is legal, the
// short escape where there is one, other control characters as \u00XX with either case of digits.
// `chars` is minimal, as all results above are.
DfaResult ToUtf8(const Dfa& chars, Budget& budget);
DfaResult ToJsonString(const Dfa& chars, Budget& budget);
// The same with kContinues, so that characters can be counted; not always minimal.
DfaResult ToCountableUtf8(const Dfa& chars, Budget& budget);
DfaResult ToCountableJsonString(const Dfa& chars, Budget& budget);
// ToUtf8(Words(words)).
Dfa ByteWords(std::span<const std::string> words);

}  // namespace sglrun::grammar
