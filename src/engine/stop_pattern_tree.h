// A stop_regex read as a tree of what a finite automaton can follow: characters, alternatives,
// repetitions and assertions about the two sides of a place. The pattern is known to be one that
// PCRE2 compiles; PCRE2 decides what a character class, an escape or a letter of a caseless pattern
// matches, so that both ways of searching agree.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglrun::engine {

enum class StopAssertion : std::uint8_t {
  kTextStart,       // ^ \A
  kLineStart,       // ^ in (?m)
  kTextEnd,         // $ \Z: the end, or before a newline there
  kLineEnd,         // $ in (?m)
  kVeryEnd,         // \z
  kWordBoundary,    // \b
  kNoWordBoundary,  // \B
};

// One character. PCRE2 decides by `pattern`, unless that is empty: then it is `literal`.
struct StopAtom {
  std::string pattern;
  char32_t literal = 0;

  friend bool operator==(const StopAtom&, const StopAtom&) = default;
};

struct StopNode {
  enum class Kind : std::uint8_t { kAtom, kAssertion, kSequence, kChoice, kRepeat };
  static constexpr std::uint32_t kNoEnd = std::numeric_limits<std::uint32_t>::max();

  Kind kind = Kind::kSequence;
  std::size_t atom = 0;  // kAtom: index in the tree's atoms
  StopAssertion assertion = StopAssertion::kTextStart;
  std::uint32_t least = 0, most = 0;  // kRepeat; kNoEnd: without bound
  std::vector<StopNode> parts = {};   // kSequence, kChoice; kRepeat: the one that is repeated
};

struct StopTree {
  StopNode root;
  std::vector<StopAtom> atoms;  // each once
};

// nullopt where the pattern needs more than an automaton: back-references, lookaround, atomic
// groups, recursion, verbs, and spellings that releases of PCRE2 read differently.
std::optional<StopTree> ReadStopPattern(std::string_view pattern);

}  // namespace sglrun::engine
