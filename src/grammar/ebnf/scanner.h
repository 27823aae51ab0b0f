// Reads the small parts of EBNF text: blanks, names, literals, classes, numbers. Places in messages
// are lines and columns, both from 1, columns in characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "grammar/base/grammar_error.h"
#include "grammar/ir/front_end.h"
#include "text/char_set.h"

namespace sglrun::grammar::ebnf {

class Scanner {
 public:
  // `text` is valid UTF-8 and outlives the scanner.
  Scanner(std::string_view text, GrammarReport& report) : text_(text), report_(&report) {}

  bool at_end() const { return pos_ >= text_.size(); }
  std::size_t pos() const { return pos_; }
  void set_pos(std::size_t pos) { pos_ = pos; }
  std::string_view text() const { return text_; }
  char Peek(std::size_t ahead = 0) const {  // NUL after the end
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  bool At(std::string_view word) const { return text_.substr(pos_).starts_with(word); }
  bool Take(std::string_view word) {
    if (!At(word)) return false;
    pos_ += word.size();
    return true;
  }
  void SkipBlanks();  // comments too

  // Only blanks stand before `pos` on its line.
  bool IsFirstOnLine(std::size_t pos) const;
  // A rule begins here: name, perhaps options in brackets, `::=`.
  bool AtRuleStart() const;

  // The name at the cursor, "" when none begins there.
  std::string_view TakeName();
  // Reads digits as a number; nullopt if there are none here or the number exceeds int64.
  std::optional<std::int64_t> TakeNumber();
  Result<std::string, GrammarError> TakeLiteral();      // at its opening quote; gives UTF-8
  Result<CharSet, GrammarError> TakeClass();            // at its opening bracket
  Result<std::string_view, GrammarError> TakeAngled();  // <...>, brackets included

  GrammarError Invalid(std::size_t pos, std::string_view sentence) const {
    return ErrorAt(pos, Verdict::kInvalid, sentence);
  }
  GrammarError ErrorAt(std::size_t pos, Verdict verdict, std::string_view sentence) const;
  std::string Place(std::size_t pos) const;  // "line 3, column 7"
  // The character at `pos` as a message shows it: `"x"`, `U+0007`, `the end of the text`.
  std::string Shown(std::size_t pos) const;

 private:
  // A member of a class: one character, or a set like \d.
  struct Member {
    char32_t c = 0;
    const CharSet* set = nullptr;
  };
  Result<Member, GrammarError> TakeMember();
  Result<char32_t, GrammarError> TakeEscape(bool in_class);
  Result<char32_t, GrammarError> TakeHex(std::size_t start, int digits);
  Result<char32_t, GrammarError> TakeShortHex(std::size_t start);
  Result<char32_t, GrammarError> TakeUnicode(std::size_t start);

  std::string_view text_;
  std::size_t pos_ = 0;
  GrammarReport* report_;
};

}  // namespace sglrun::grammar::ebnf
