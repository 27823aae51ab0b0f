#include "grammar/regex/escape.h"

#include <optional>
#include <string>
#include <vector>

#include "grammar/regex/unicode_sets.h"

namespace sglrun::grammar {
namespace {

using Shared = std::shared_ptr<const CharSet>;

Shared Share(CharSet set) {
  return std::make_shared<const CharSet>(std::move(set));
}

struct Shorthands {
  Shared digit = Share({{U'0', U'9'}});
  Shared word = Share({{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}});
  Shared space = Share({{U'\t', U'\r'}, {U' ', U' '}});
  Shared no_digit = Share(digit->Complement());
  Shared no_word = Share(word->Complement());
  // Python counts U+001C..1F among the blanks, ECMA-262 U+FEFF, Unicode the rest.
  Shared any_space = Share(CharSet{{U'\t', U'\r'},
                                   {0x1C, 0x20},
                                   {0x85, 0x85},
                                   {0xA0, 0xA0},
                                   {0x1680, 0x1680},
                                   {0x2000, 0x200A},
                                   {0x2028, 0x2029},
                                   {0x202F, 0x202F},
                                   {0x205F, 0x205F},
                                   {0x3000, 0x3000},
                                   {0xFEFF, 0xFEFF}});
  Shared no_space = Share(any_space->Complement());
  Shared not_always_space = Share(space->Complement());
};

// What Python, PCRE and .NET count as digits and as word characters where they go by Unicode.
CharSet UnionOf(std::initializer_list<const char*> properties) {
  std::vector<CharRange> all;
  for (const char* const name : properties) {
    const auto& ranges = UnicodeProperty(name)->ranges();
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  return CharSet(std::move(all));
}
Shared WideDigit() {
  static const Shared set = UnicodeProperty("Nd");
  return set;
}
Shared WideWord() {
  static const Shared set = Share(UnionOf({"L", "N", "M", "Pc"}));
  return set;
}

std::optional<Escape> WideShorthand(char32_t letter, const Shorthands& sets) {
  switch (letter) {
    case 'd':
      return ClassEscape{WideDigit(), sets.no_digit};
    case 'D':
      return ClassEscape{sets.no_digit, WideDigit()};
    case 'w':
      return ClassEscape{WideWord(), sets.no_word};
    case 'W':
      return ClassEscape{sets.no_word, WideWord()};
    case 's':
      return ClassEscape{sets.any_space, sets.not_always_space};
    case 'S':
      return ClassEscape{sets.not_always_space, sets.any_space};
    default:
      return std::nullopt;
  }
}

std::optional<Escape> Shorthand(char32_t letter, bool wide) {
  static const Shorthands sets;
  if (wide) return WideShorthand(letter, sets);
  switch (letter) {
    case 'd':
      return ClassEscape{sets.digit, sets.no_digit};
    case 'D':
      return ClassEscape{sets.no_digit, sets.digit};
    case 'w':
      return ClassEscape{sets.word, sets.no_word};
    case 'W':
      return ClassEscape{sets.no_word, sets.word};
    case 's':
      return ClassEscape{sets.space, sets.no_space};
    case 'S':
      return ClassEscape{sets.no_space, sets.space};
    default:
      return std::nullopt;
  }
}

std::optional<char32_t> Control(char32_t letter) {
  switch (letter) {
    case 'n':
      return U'\n';
    case 'r':
      return U'\r';
    case 't':
      return U'\t';
    case 'f':
      return U'\f';
    case 'v':
      return U'\v';
    default:
      return std::nullopt;
  }
}

bool IsDigit(char32_t c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
int HexDigit(char32_t c) {
  if (IsDigit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return -1;
}
bool IsHighSurrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDBFF;
}
bool IsLowSurrogate(char32_t c) {
  return c >= 0xDC00 && c <= 0xDFFF;
}

// Exactly `count` digits, or nothing and the cursor where it was.
std::optional<char32_t> FixedHex(Cursor& cursor, std::size_t count) {
  char32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = HexDigit(cursor.Peek(i));
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  cursor.Skip(count);
  return value;
}

// {H..}, the brace included; a value above U+10FFFF stays above.
std::optional<char32_t> BracedHex(Cursor& cursor) {
  char32_t value = 0;
  std::size_t i = 1;
  for (; HexDigit(cursor.Peek(i)) >= 0; ++i) {
    if (value <= 0x10FFFF) value = value * 16 + static_cast<char32_t>(HexDigit(cursor.Peek(i)));
  }
  if (i == 1 || cursor.Peek(i) != '}') return std::nullopt;
  cursor.Skip(i + 1);
  return value;
}

Result<Escape, GrammarError> Hexadecimal(Cursor& cursor, char32_t letter, std::size_t begin) {
  const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
  const bool braced = letter != 'U' && cursor.Peek() == '{';
  const auto value = braced ? BracedHex(cursor) : FixedHex(cursor, digits);
  if (!value) {
    const std::string name(1, static_cast<char>(letter));
    return Cursor::Invalid(begin, "\\" + name + " must be followed by " + std::to_string(digits) +
                                      " hexadecimal digits" +
                                      (letter == 'U' ? "" : " or by some in braces"));
  }
  if (!braced && IsHighSurrogate(*value) && cursor.StartsWith(U"\\u")) {
    Cursor after = cursor;
    after.Skip(2);
    if (const auto low = FixedHex(after, 4); low && IsLowSurrogate(*low)) {
      cursor = after;
      return Escape{0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00)};
    }
  }
  if (IsHighSurrogate(*value) || IsLowSurrogate(*value)) {
    return Cursor::Invalid(begin, cursor.From(begin) + " is half of a surrogate pair");
  }
  if (*value > 0x10FFFF) {
    return Cursor::Invalid(begin, cursor.From(begin) + " is above U+10FFFF");
  }
  return Escape{*value};
}

Result<Escape, GrammarError> Property(Cursor& cursor, char32_t letter, std::size_t begin,
                                      EscapeContext context) {
  std::string name;
  if (cursor.Take('{')) {
    const std::size_t first = cursor.offset();
    while (!cursor.AtEnd() && cursor.Peek() != '}') cursor.Skip(1);
    name = cursor.From(first);
    if (!cursor.Take('}')) return Cursor::Invalid(begin, "\\p{ is not closed");
  } else if (IsLetter(cursor.Peek())) {
    name = std::string(1, static_cast<char>(cursor.Next()));
  }
  const auto set = UnicodeProperty(name);
  if (set == nullptr) {
    return Cursor::Invalid(begin, "there is no Unicode property \"" + name + "\"");
  }
  // Where case is ignored, some engines take upper, lower and title case for one property.
  const bool is_case = name == "Lu" || name == "Ll" || name == "Lt" || name == "Uppercase_Letter" ||
                       name == "Lowercase_Letter" || name == "Titlecase_Letter";
  const auto widest = context.ignore_case && is_case ? UnicodeProperty("LC") : set;
  const auto& inside = context.wide ? widest : set;
  const Shared outside = Share((context.wide ? set : widest)->Complement());
  if (letter == 'p') return Escape{ClassEscape{inside, outside}};
  return Escape{ClassEscape{outside, inside}};
}

GrammarError Refuse(Cursor& cursor, char32_t letter, std::size_t begin) {
  const std::string text = cursor.From(begin);
  switch (letter) {
    case 'b':
    case 'B':
      return Cursor::Unsupported(begin, text + " (a word boundary)");
    case 'k':
    case 'g':
      return Cursor::Unsupported(begin, text + " (a back-reference)");
    case 'K':
    case 'G':
    case 'R':
    case 'X':
    case 'C':
    case 'Q':
    case 'E':
    case 'N':
    case 'h':
    case 'H':
    case 'V':
      return Cursor::Unsupported(begin, text);
    default:
      return Cursor::Invalid(begin, text + " is no escape");
  }
}

}  // namespace

Result<Escape, GrammarError> ParseEscape(Cursor& cursor, EscapeContext context) {
  const std::size_t begin = cursor.offset() - 1;
  if (cursor.AtEnd()) return Cursor::Invalid(begin, "the pattern ends with a backslash");
  const char32_t c = cursor.Next();
  if (auto shorthand = Shorthand(c, context.wide)) return std::move(*shorthand);
  if (const auto control = Control(c)) return Escape{*control};
  if (!IsDigit(c) && !IsLetter(c)) return Escape{c};
  if (c == '0' && !IsDigit(cursor.Peek())) return Escape{U'\0'};
  if (IsDigit(c)) {
    if (c == '0' || context.in_class) {
      return Cursor::Invalid(begin, "octal escapes are not read; write \\x and two digits");
    }
    return Cursor::Unsupported(begin, cursor.From(begin) + " (a back-reference)");
  }
  if (c == 'c') {
    if (!IsLetter(cursor.Peek())) return Cursor::Invalid(begin, "\\c must be followed by a letter");
    return Escape{cursor.Next() & 0x1F};
  }
  if (c == 'x' || c == 'u' || c == 'U') return Hexadecimal(cursor, c, begin);
  if (c == 'p' || c == 'P') return Property(cursor, c, begin, context);
  if (context.in_class && c == 'b') return Escape{U'\b'};
  if (!context.in_class) {
    if (c == 'A') return Escape{AnchorEscape::kStart};
    if (c == 'z' || c == 'Z') return Escape{AnchorEscape::kEnd};
  }
  return Refuse(cursor, c, begin);
}

}  // namespace sglrun::grammar
