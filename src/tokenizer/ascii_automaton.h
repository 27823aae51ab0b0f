// A regular expression as a table: a match at a place of a text is found in one forward walk, with
// one table look-up per character. Only ASCII is supported, because most text is ASCII; for other
// characters the result is "unknown".
//
// A state is the ordered list of places in the pattern that a backtracking engine would try. The
// first of them that matches is used, so that the match is the one that such an engine finds (Cox,
// "Regular Expression Matching: the Virtual Machine Approach", on Pike's machine).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/regex_tree.h"

namespace sglrun::tokenizer {

class AsciiAutomaton {
 public:
  // nullptr when the table would be too large.
  static std::unique_ptr<AsciiAutomaton> Build(const RegexNode& tree);

  // The first place at or after `pos` where a match can begin or which is not ASCII.
  std::size_t NextStart(std::string_view text, std::size_t pos) const {
    while (pos < text.size() && !starts_[static_cast<unsigned char>(text[pos])]) ++pos;
    return pos;
  }

  static constexpr std::size_t kNoMatch = ~std::size_t{0};
  static constexpr std::size_t kUnknown = kNoMatch - 1;
  // The end of the match that begins at `pos`. `reached` is the end of the walk.
  std::size_t EndOfMatch(std::string_view text, std::size_t pos, std::size_t& reached) const {
    std::size_t end = kNoMatch;
    std::uint32_t state = 0;
    for (;; ++pos) {
      const std::uint32_t column =
          pos < text.size() ? columns_[static_cast<unsigned char>(text[pos])] : kEndOfText;
      const std::uint32_t step = table_[state + column];
      if ((step & kMatchesBefore) != 0) end = pos;
      state = step >> kFlagBits;
      if (state >= dead_) break;
    }
    reached = pos;
    return state == dead_ ? end : kUnknown;
  }

 private:
  class Builder;
  // Columns of the table: the end, characters that are not ASCII, then sets of characters that the
  // pattern treats alike.
  static constexpr std::uint32_t kEndOfText = 0, kBeyondAscii = 1, kFirstSet = 2;
  // An entry is the offset of the next row, and whether the text before the character matches.
  static constexpr std::uint32_t kMatchesBefore = 1, kFlagBits = 1;

  std::array<std::uint8_t, 256> columns_;
  std::array<bool, 256> starts_;
  std::vector<std::uint32_t> table_;
  std::uint32_t dead_ = 0;  // the offset that ends a walk; one further: unknown
};

}  // namespace sglrun::tokenizer
