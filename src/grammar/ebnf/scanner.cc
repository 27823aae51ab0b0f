#include "grammar/ebnf/scanner.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "base/utf8.h"

namespace sglrun::grammar::ebnf {
namespace {

constexpr char32_t kNoEscape = 0xFFFFFFFF;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNameStart(char c) {
  return IsLetter(c) || c == '_' || c == '-';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || IsDigit(c) || c == '.';
}
bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The character of an escape letter; kNoEscape if there is none.
char32_t SimpleEscape(char c, bool in_class) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'a':
      return '\a';
    case 'v':
      return '\v';
    case '0':
      return 0;
    case 'e':
      return 0x1B;
    default:
      break;
  }
  constexpr std::string_view kAnywhere = "\"\\/'?", kInClass = "^$.*+()[]{}|-";
  const bool itself = kAnywhere.find(c) != std::string_view::npos ||
                      (in_class && kInClass.find(c) != std::string_view::npos);
  return itself ? static_cast<char32_t>(c) : kNoEscape;
}

// The sets \d, \w and \s that a class may name; nullptr for other letters.
const CharSet* NamedSet(char c) {
  static const CharSet digits{{'0', '9'}};
  static const CharSet word{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  static const CharSet space{{'\t', '\r'}, {' ', ' '}};
  static const CharSet wide_space{{'\t', '\r'},     {0x1C, 0x20},     {0x85, 0x85},
                                  {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                                  {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                  {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  static const CharSet no_digits = digits.Complement(), no_word = word.Complement(),
                       no_space = wide_space.Complement();
  switch (c) {
    case 'd':
      return &digits;
    case 'w':
      return &word;
    case 's':
      return &space;
    case 'D':
      return &no_digits;
    case 'W':
      return &no_word;
    case 'S':
      return &no_space;
    default:
      return nullptr;
  }
}

bool IsScalar(char32_t c) {
  return c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

}  // namespace

void Scanner::SkipBlanks() {
  while (!at_end()) {
    if (text_[pos_] == '#') {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    } else if (IsBlank(text_[pos_])) {
      ++pos_;
    } else {
      return;
    }
  }
}

bool Scanner::IsFirstOnLine(std::size_t pos) const {
  while (pos > 0) {
    --pos;
    if (text_[pos] == '\n') return true;
    if (!IsBlank(text_[pos])) return false;
  }
  return true;
}

bool Scanner::AtRuleStart() const {
  std::size_t pos = pos_;
  if (pos >= text_.size() || !IsNameStart(text_[pos])) return false;
  const auto skip_spaces = [&] {
    while (pos < text_.size() && (text_[pos] == ' ' || text_[pos] == '\t')) ++pos;
  };
  while (pos < text_.size() && IsNamePart(text_[pos])) ++pos;
  if (pos < text_.size() && text_[pos] == '[') {
    const std::size_t end = text_.find_first_of("]\n", pos);
    if (end == std::string_view::npos || text_[end] == '\n') return false;
    pos = end + 1;
  }
  skip_spaces();
  return text_.substr(pos).starts_with("::=");
}

std::string_view Scanner::TakeName() {
  const std::size_t start = pos_;
  if (at_end() || !IsNameStart(text_[pos_])) return {};
  while (!at_end() && IsNamePart(text_[pos_])) ++pos_;
  return text_.substr(start, pos_ - start);
}

std::optional<std::int64_t> Scanner::TakeNumber() {
  const std::size_t start = pos_;
  std::int64_t value = 0;
  bool fits = true;
  for (; !at_end() && IsDigit(text_[pos_]); ++pos_) {
    if (value > (std::numeric_limits<std::int64_t>::max() - 9) / 10) fits = false;
    if (fits) value = value * 10 + (text_[pos_] - '0');
  }
  if (pos_ == start || !fits) return std::nullopt;
  return value;
}

Result<std::string, GrammarError> Scanner::TakeLiteral() {
  const std::size_t start = pos_++;
  std::string value;
  while (Peek() != '"') {
    if (at_end() || Peek() == '\n' || Peek() == '\r') {
      return Invalid(start, "the literal is not closed: put \" before the end of the line");
    }
    if (Peek() == '\\') {
      SGLRUN_ASSIGN_OR_RETURN(const char32_t c, TakeEscape(/*in_class=*/false));
      AppendUtf8(value, c);
    } else {
      value += text_[pos_++];
    }
  }
  ++pos_;
  return value;
}

Result<CharSet, GrammarError> Scanner::TakeClass() {
  const std::size_t start = pos_++;
  const bool negated = Take("^");
  if (Peek() == ']' && !negated) {
    return Invalid(start, "the class [] is empty: name its characters, or write [^] for any");
  }
  std::vector<CharRange> ranges;
  while (Peek() != ']') {
    if (at_end() || Peek() == '\n' || Peek() == '\r') {
      return Invalid(start, "the class is not closed: put ] before the end of the line");
    }
    const std::size_t first_pos = pos_;
    SGLRUN_ASSIGN_OR_RETURN(const Member first, TakeMember());
    const bool is_range = Peek() == '-' && Peek(1) != ']' && pos_ + 1 < text_.size();
    if (!is_range) {
      if (first.set == nullptr) {
        ranges.push_back({first.c, first.c});
      } else {
        ranges.insert(ranges.end(), first.set->ranges().begin(), first.set->ranges().end());
      }
      continue;
    }
    ++pos_;
    if (Peek() == '\n' || Peek() == '\r') continue;  // reported above
    SGLRUN_ASSIGN_OR_RETURN(const Member last, TakeMember());
    const std::string range(text_.substr(first_pos, pos_ - first_pos));
    if (first.set != nullptr || last.set != nullptr) {
      return Invalid(first_pos,
                     "the range " + range + " has a set as an end: write \\- for a hyphen");
    }
    if (first.c > last.c) {
      return Invalid(first_pos, "the range " + range + " runs backwards: swap its ends");
    }
    ranges.push_back({first.c, last.c});
  }
  ++pos_;
  CharSet set(std::move(ranges));
  return negated ? set.Complement() : set;
}

Result<Scanner::Member, GrammarError> Scanner::TakeMember() {
  if (Peek() != '\\') return Member{DecodeUtf8(text_, pos_)};
  if (const CharSet* set = NamedSet(Peek(1))) {
    pos_ += 2;
    return Member{0, set};
  }
  SGLRUN_ASSIGN_OR_RETURN(const char32_t c, TakeEscape(/*in_class=*/true));
  return Member{c};
}

Result<char32_t, GrammarError> Scanner::TakeEscape(bool in_class) {
  const std::size_t start = pos_++;
  const char letter = Peek();
  if (!at_end()) {
    if (letter == 'x') return ++pos_, TakeShortHex(start);
    if (letter == 'u') return ++pos_, TakeUnicode(start);
    if (letter == 'U') return ++pos_, TakeHex(start, 8);
    if (const char32_t c = SimpleEscape(letter, in_class); c != kNoEscape) return ++pos_, c;
  }
  return Invalid(
      start, "there is no escape \\ before " + Shown(pos_) + ": write \\\\ for a backslash itself");
}

// Dialects differ: two digits here, as in GBNF; XGrammar reads all that follow.
Result<char32_t, GrammarError> Scanner::TakeShortHex(std::size_t start) {
  char32_t value = 0;
  int digits = 0;
  for (; digits < 2 && HexDigit(Peek()) >= 0; ++digits, ++pos_) {
    value = value * 16 + static_cast<char32_t>(HexDigit(Peek()));
  }
  if (digits == 0) return Invalid(start, "\\x needs a hexadecimal digit after it");
  constexpr std::size_t kMostNotes = 16;
  if (digits == 2 && HexDigit(Peek()) >= 0 && report_->notes.size() < kMostNotes) {
    report_->notes.push_back(Place(start) +
                             ": \\x takes two digits, the next ones are text; other dialects read "
                             "more of them, \\u and \\U mean the same everywhere");
  }
  return value;
}

Result<char32_t, GrammarError> Scanner::TakeUnicode(std::size_t start) {
  char32_t value = 0;
  const auto four_digits = [&] {
    value = 0;
    for (int i = 0; i < 4; ++i, ++pos_) {
      if (HexDigit(Peek()) < 0) return false;
      value = value * 16 + static_cast<char32_t>(HexDigit(Peek()));
    }
    return true;
  };
  if (!four_digits()) return Invalid(start, "\\u needs exactly four hexadecimal digits after it");
  if (value >= 0xD800 && value <= 0xDBFF && Take("\\u")) {
    const char32_t high = value;
    if (!four_digits()) return Invalid(start, "\\u needs exactly four hexadecimal digits after it");
    if (value >= 0xDC00 && value <= 0xDFFF) {
      return 0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00);
    }
    value = high;
  }
  if (!IsScalar(value)) {
    return Invalid(start, "the escape is half of a surrogate pair, which is not a character");
  }
  return value;
}

Result<char32_t, GrammarError> Scanner::TakeHex(std::size_t start, int digits) {
  char32_t value = 0;
  for (int i = 0; i < digits; ++i, ++pos_) {
    if (HexDigit(Peek()) < 0) {
      return Invalid(start, "\\U needs exactly eight hexadecimal digits after it");
    }
    value = value * 16 + static_cast<char32_t>(HexDigit(Peek()));
  }
  if (!IsScalar(value)) {
    return Invalid(
        start,
        "the escape is not a character: characters are U+0000 to U+10FFFF without surrogates");
  }
  return value;
}

Result<std::string_view, GrammarError> Scanner::TakeAngled() {
  const std::size_t start = pos_;
  const std::size_t end = text_.find_first_of(">\r\n", start);
  if (end == std::string_view::npos || text_[end] != '>') {
    return Invalid(start,
                   "\"<\" begins a token such as <[5]> or <|im_end|>, and its \">\" is missing");
  }
  pos_ = end + 1;
  return text_.substr(start, pos_ - start);
}

GrammarError Scanner::ErrorAt(std::size_t pos, Verdict verdict, std::string_view sentence) const {
  return {verdict, Place(pos) + ": " + std::string(sentence)};
}

std::string Scanner::Place(std::size_t pos) const {
  const std::string_view before = text_.substr(0, std::min(pos, text_.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = CountCodePoints(before.substr(line_start)) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string Scanner::Shown(std::size_t pos) const {
  if (pos >= text_.size()) return "the end of the text";
  std::size_t end = pos;
  const char32_t c = DecodeUtf8(text_, end);
  if (c >= 0x20 && c != 0x7F) return '"' + std::string(text_.substr(pos, end - pos)) + '"';
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(c));
  return name.data();
}

}  // namespace sglrun::grammar::ebnf
