#include "jinja/lexer.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "jinja/characters.h"
#include "jinja/number.h"
#include "jinja/string_literal.h"

namespace sglrun::jinja {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// "\r\n" and "\r" become "\n", and one line end at the end of the template is dropped.
std::string NormalizeNewlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
      continue;
    }
    out += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : text_(NormalizeNewlines(source)) {}

  Try<std::vector<Token>> Run() {
    while (at_ < text_.size()) SGLRUN_RETURN_IF_ERROR(Root());
    tokens_.push_back({.line = line_});
    return std::move(tokens_);
  }

 private:
  Fault Error(std::string message) const { return {FaultKind::kSyntax, std::move(message), line_}; }

  std::string_view Rest() const { return std::string_view(text_).substr(at_); }
  bool At(std::string_view word) const { return Rest().starts_with(word); }

  void Push(TokenKind kind, std::string text, Value value = {}) {
    Meter::Step();
    Meter::Bytes(text.size());
    tokens_.push_back({kind, std::move(text), std::move(value), line_});
  }

  // Moves on to `end`, counting lines.
  void MoveTo(std::size_t end) {
    Meter::Bytes(end - at_);
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    line_starting_ = end > at_ && text_[end - 1] == '\n';
    at_ = end;
  }

  // The text before a tag, stripped according to its sign and lstrip_blocks.
  void PushData(std::string_view data, char sign, bool may_strip_line) {
    std::string_view kept = data;
    if (sign == '-') {
      kept.remove_suffix(TrailingSpace(kept));
    } else if (sign != '+' && may_strip_line) {
      const std::size_t newline = data.rfind('\n');
      const std::size_t line = newline == kNowhere ? 0 : newline + 1;
      const std::string_view blanks = data.substr(line);
      if ((line > 0 || line_starting_) && LeadingSpace(blanks) == blanks.size()) {
        kept = data.substr(0, line);
      }
    }
    if (!kept.empty()) Push(TokenKind::kData, std::string(kept));
  }

  // The next "{{", "{%" or "{#" at or after the position.
  std::size_t NextTag() const {
    for (std::size_t i = text_.find('{', at_); i != kNowhere; i = text_.find('{', i + 1)) {
      const char next = i + 1 < text_.size() ? text_[i + 1] : ' ';
      if (next == '{' || next == '%' || next == '#') return i;
    }
    return kNowhere;
  }

  char SignAt(std::size_t place) const {
    const char c = place < text_.size() ? text_[place] : ' ';
    return c == '-' || c == '+' ? c : ' ';
  }

  Try<void> Root() {
    const std::size_t tag = NextTag();
    if (tag == kNowhere) {
      Push(TokenKind::kData, text_.substr(at_));
      MoveTo(text_.size());
      return {};
    }
    const char kind = text_[tag + 1];
    const char sign = SignAt(tag + 2);
    PushData(std::string_view(text_).substr(at_, tag - at_), sign, kind != '{');
    if (const std::size_t raw = kind == '%' ? RawBegin(tag) : kNowhere; raw != kNowhere) {
      MoveTo(raw);
      return Raw();
    }
    MoveTo(tag + (sign == ' ' ? 2 : 3));
    if (kind == '#') return Comment();
    Push(kind == '%' ? TokenKind::kBlockBegin : TokenKind::kVariableBegin, "");
    return Code(kind == '%');
  }

  std::size_t SkipSpace(std::size_t place) const {
    return place + LeadingSpace(std::string_view(text_).substr(place));
  }

  // The place after "{% raw %}" if it is at `tag`.
  std::size_t RawBegin(std::size_t tag) const {
    std::size_t place = SkipSpace(tag + (SignAt(tag + 2) == ' ' ? 2 : 3));
    if (text_.compare(place, 3, "raw") != 0) return kNowhere;
    place = SkipSpace(place + 3);
    if (text_.compare(place, 3, "-%}") == 0) return SkipSpace(place + 3);
    return text_.compare(place, 2, "%}") == 0 ? place + 2 : kNowhere;
  }

  // The place after a tag that closes with `mark` ("%}" or "#}") at `place`; kNowhere if it does
  // not close there.
  std::size_t TagEnd(std::size_t place, std::string_view mark) const {
    const char sign = SignAt(place);
    const std::size_t begin = sign == ' ' ? place : place + 1;
    if (text_.compare(begin, mark.size(), mark) != 0) return kNowhere;
    const std::size_t end = begin + mark.size();
    if (sign == '-') return SkipSpace(end);
    if (sign == '+') return end;
    return end < text_.size() && text_[end] == '\n' ? end + 1 : end;
  }

  Try<void> Raw() {
    for (std::size_t i = text_.find("{%", at_); i != kNowhere; i = text_.find("{%", i + 1)) {
      const char sign = SignAt(i + 2);
      std::size_t place = SkipSpace(i + (sign == ' ' ? 2 : 3));
      if (text_.compare(place, 6, "endraw") != 0) continue;
      const std::size_t end = TagEnd(SkipSpace(place + 6), "%}");
      if (end == kNowhere) continue;
      PushData(std::string_view(text_).substr(at_, i - at_), sign, true);
      MoveTo(end);
      return {};
    }
    if (at_ == text_.size()) return {};
    return Error("Missing end of raw directive");
  }

  Try<void> Comment() {
    const std::size_t mark = text_.find("#}", at_);
    if (mark == kNowhere) {
      if (at_ == text_.size()) return {};
      return Error("Missing end of comment tag");
    }
    const bool sign = mark > at_ && SignAt(mark - 1) != ' ';
    MoveTo(TagEnd(sign ? mark - 1 : mark, "#}"));
    return {};
  }

  std::size_t CodeEnd(bool block) const {
    if (block) return TagEnd(at_, "%}");
    if (At("-}}")) return SkipSpace(at_ + 3);
    return At("}}") ? at_ + 2 : kNowhere;
  }

  // Inside "{% %}" or "{{ }}".
  Try<void> Code(bool block) {
    std::string open;  // the brackets still to be closed
    while (at_ < text_.size()) {
      if (const std::size_t end = open.empty() ? CodeEnd(block) : kNowhere; end != kNowhere) {
        Push(block ? TokenKind::kBlockEnd : TokenKind::kVariableEnd, "");
        MoveTo(end);
        return {};
      }
      SGLRUN_RETURN_IF_ERROR(CodeToken(open));
    }
    return {};
  }

  Try<void> CodeToken(std::string& open) {
    if (const std::size_t space = LeadingSpace(Rest()); space > 0) {
      MoveTo(at_ + space);
      return {};
    }
    if (IsDigit(text_[at_])) return Number();
    if (const std::size_t end = WordEnd(at_); end > at_) return Name(end);
    if (text_[at_] == '\'' || text_[at_] == '"') {
      if (const std::size_t end = StringEnd(at_); end != kNowhere) return Quoted(end);
    }
    return Operator(open);
  }

  std::size_t WordEnd(std::size_t place) const {
    while (place < text_.size()) {
      std::size_t next = place;
      if (!IsWordCharacter(NextCharacter(text_, next))) break;
      place = next;
    }
    return place;
  }

  Try<void> Name(std::size_t end) {
    const std::string name = text_.substr(at_, end - at_);
    if (!IsIdentifier(name)) return Error("Invalid character in identifier");
    Push(TokenKind::kName, name);
    MoveTo(end);
    return {};
  }

  std::size_t StringEnd(std::size_t place) const {
    for (std::size_t i = place + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == text_[place]) {
        return i + 1;
      }
    }
    return kNowhere;
  }

  Try<void> Quoted(std::size_t end) {
    Try<std::string> text = UnescapeLiteral(std::string_view(text_).substr(at_ + 1, end - at_ - 2));
    if (!text.ok()) return Error(text.error().message);
    Push(TokenKind::kString, *text);
    MoveTo(end);
    return {};
  }

  // Digits with single underscores between them, from `place`; gives their end.
  template <class IsOne>
  std::size_t Digits(std::size_t place, IsOne is_one) const {
    while (place < text_.size()) {
      const bool gap = text_[place] == '_' && place + 1 < text_.size() && is_one(text_[place + 1]);
      if (!gap && !is_one(text_[place])) break;
      place += gap ? 2 : 1;
    }
    return place;
  }

  bool DigitAt(std::size_t place) const { return place < text_.size() && IsDigit(text_[place]); }

  // The end of a float at the position, or kNowhere.
  std::size_t FloatEnd() const {
    if (at_ > 0 && text_[at_ - 1] == '.') return kNowhere;
    const std::size_t whole = Digits(at_, IsDigit);
    std::size_t end = whole;
    if (end < text_.size() && text_[end] == '.' && DigitAt(end + 1)) end = Digits(end + 1, IsDigit);
    if (end < text_.size() && (text_[end] | 0x20) == 'e') {
      std::size_t power = end + 1;
      if (power < text_.size() && (text_[power] == '+' || text_[power] == '-')) ++power;
      if (DigitAt(power)) return Digits(power, IsDigit);
    }
    return end > whole ? end : kNowhere;
  }

  std::size_t IntegerEnd() const {
    if (text_[at_] != '0') return Digits(at_, IsDigit);
    const char letter = at_ + 1 < text_.size() ? static_cast<char>(text_[at_ + 1] | 0x20) : ' ';
    const auto is_digit = [letter](char c) {
      if (letter == 'b') return c == '0' || c == '1';
      if (letter == 'o') return c >= '0' && c <= '7';
      return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    };
    if (letter == 'b' || letter == 'o' || letter == 'x') {
      const std::size_t end = Digits(at_ + 2, is_digit);
      if (end > at_ + 2) return end;
    }
    return Digits(at_, [](char c) { return c == '0'; });
  }

  Try<void> Number() {
    const std::size_t float_end = FloatEnd();
    const std::size_t end = float_end != kNowhere ? float_end : IntegerEnd();
    const std::string_view text = std::string_view(text_).substr(at_, end - at_);
    std::optional<Value> value;
    if (float_end == kNowhere) {
      value = ParseInt(text, 0);
    } else if (const auto number = ParseFloat(text)) {
      value = Value::Float(*number);
    }
    if (!value) return Error("the number " + std::string(text.substr(0, 40)) + " is too long");
    Push(TokenKind::kNumber, std::string(text), std::move(*value));
    MoveTo(end);
    return {};
  }

  Try<void> Operator(std::string& open) {
    static constexpr std::array<std::string_view, 26> kOperators = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    for (const std::string_view op : kOperators) {
      if (!At(op)) continue;
      if (op == "(" || op == "[" || op == "{") open += op == "(" ? ')' : op == "[" ? ']' : '}';
      if (op == ")" || op == "]" || op == "}") {
        if (open.empty()) return Error("unexpected '" + std::string(op) + "'");
        const char expected = open.back();
        open.pop_back();
        if (expected != op[0]) {
          return Error("unexpected '" + std::string(op) + "', expected '" + expected + "'");
        }
      }
      Push(TokenKind::kOperator, std::string(op));
      MoveTo(at_ + op.size());
      return {};
    }
    std::size_t end = at_;
    NextCharacter(text_, end);
    return Error("unexpected char '" + text_.substr(at_, end - at_) + "' at " +
                 std::to_string(CountCodePoints(std::string_view(text_).substr(0, at_))));
  }

  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

Try<std::vector<Token>> Tokenize(std::string_view source) {
  return Lexer(source).Run();
}

}  // namespace sglrun::jinja
