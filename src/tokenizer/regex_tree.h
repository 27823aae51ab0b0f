// A regular expression as a tree, for AsciiAutomaton: the plain part of PCRE2's language, with
// characters below 128 alone. Other patterns have no tree.
#pragma once

#include <bitset>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace sglrun::tokenizer {

using AsciiSet = std::bitset<128>;

struct RegexNode {
  enum class Kind { kSet, kNotAhead, kSequence, kChoice, kRepeat };
  static constexpr int kUnbounded = -1;

  Kind kind = Kind::kSequence;
  AsciiSet set = {};                     // kSet, kNotAhead: of the character that comes
  std::vector<RegexNode> children = {};  // kRepeat: one
  int min = 0;                           // kRepeat
  int max = kUnbounded;                  // kRepeat
  bool lazy = false;                     // kRepeat: the fewest first
};

// The characters that a pattern of one character ("\p{L}", "[^a-z]") matches.
using AsciiSetOf = std::function<std::optional<AsciiSet>(std::string_view atom, bool caseless)>;

// `pattern` must be one that PCRE2 compiles. Refused are anchors, back references, possessive
// repeats, looking further than one character ahead and repeats of what may be empty (where
// engines differ).
std::optional<RegexNode> ParseRegexTree(std::string_view pattern, const AsciiSetOf& set_of);

}  // namespace sglrun::tokenizer
