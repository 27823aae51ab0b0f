#include "tokenizer/regex_dialect.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sglrun::tokenizer {
namespace {

constexpr std::string_view kSpaces =
    R"(\x09-\x0d\x20\x85\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
// Oniguruma's: of the other numbers those of Latin-1 alone count (² ³ ¹ ¼ ½ ¾).
constexpr std::string_view kWord =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr std::string_view kHexDigits = "0-9A-Fa-f";

// Names that \p{...} takes besides scripts, in both dialects.
constexpr std::array<std::string_view, 6> kNoScripts = {"Any",       "Alphabetic", "Lowercase",
                                                        "Uppercase", "Emoji",      "White_Space"};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> Run() {
    while (pos_ < pattern_.size()) {
      const char c = pattern_[pos_];
      if (c == '\\') {
        SGLRUN_RETURN_IF_ERROR(Escape());
      } else if (in_class_) {
        SGLRUN_RETURN_IF_ERROR(InClass(c));
      } else {
        SGLRUN_RETURN_IF_ERROR(Outside(c));
      }
    }
    return std::move(out_);
  }

 private:
  bool At(std::string_view text) const { return pattern_.substr(pos_).starts_with(text); }

  void Copy(std::size_t count = 1) {
    out_.append(pattern_.substr(pos_, count));
    pos_ += std::min(count, pattern_.size() - pos_);
  }

  Error Refuse(std::string_view what) const {
    return Error{std::string(what) + " at byte " + std::to_string(pos_) + " is not supported"};
  }

  Status Outside(char c) {
    if (c == '[') {
      in_class_ = true;
      Copy();
      if (At("^")) Copy();
      if (At("]")) Copy();  // a literal bracket
      return {};
    }
    if (At("}+")) return Refuse("a repeat count followed by \"+\"");
    if (At("(?")) return Group();
    Copy();
    return {};
  }

  // Inline options; other groups are spelled alike.
  Status Group() {
    Copy(2);
    const std::size_t end = pattern_.find_first_of(":)", pos_);
    if (end == std::string_view::npos) return {};
    const std::string_view options = pattern_.substr(pos_, end - pos_);
    if (options.find_first_not_of("imsx-") != std::string_view::npos) return {};
    if (options.find_first_of("ms") != std::string_view::npos) {
      return Refuse("the option m or s in \"(?...)\"");
    }
    return {};
  }

  Status InClass(char c) {
    if (At("[:")) {
      const std::size_t end = pattern_.find(":]", pos_);
      if (end == std::string_view::npos) return Refuse("an unfinished [:class:]");
      Copy(end + 2 - pos_);
      return {};
    }
    if (c == '[' || At("&&")) return Refuse("a set inside a character class");
    if (c == ']') in_class_ = false;
    Copy();
    return {};
  }

  void Class(std::string_view members, bool negated) {
    out_ += in_class_ ? "" : negated ? "[^" : "[";
    out_ += members;
    out_ += in_class_ ? "" : "]";
    pos_ += 2;
  }

  Status Escape() {
    if (pos_ + 1 >= pattern_.size()) return Refuse("a backslash at the end");
    const char c = pattern_[pos_ + 1];
    switch (c) {
      case 's':
        Class(kSpaces, false);
        return {};
      case 'w':
        Class(kWord, false);
        return {};
      case 'h':
        Class(kHexDigits, false);
        return {};
      case 'S':
        return Negated(kSpaces);
      case 'W':
        return Negated(kWord);
      case 'H':
        return Negated(kHexDigits);
      case 'u':
        return CodePoint();
      case 'p':
      case 'P':
        return Property();
      case 'b':
      case 'B':
      case 'R':
      case 'X':
      case 'K':
        return Refuse(std::string("\\") + c);
      default:
        Copy(2);
        return {};
    }
  }

  // Inside a class a negated set cannot be spelled out; PCRE2's own \S differs in U+180E only, and
  // its \W in marks, so the second is refused.
  Status Negated(std::string_view members) {
    if (!in_class_) {
      Class(members, true);
    } else if (members == kSpaces) {
      out_ += R"(\S\x{180e})";
      pos_ += 2;
    } else {
      return Refuse("\\W or \\H inside a character class");
    }
    return {};
  }

  Status CodePoint() {
    const std::string_view digits = pattern_.substr(pos_ + 2, 4);
    if (digits.size() != 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      return Refuse("\\u without four hexadecimal digits");
    }
    out_ += "\\x{" + std::string(digits) + "}";
    pos_ += 6;
    return {};
  }

  // General categories have one or two letters; longer names are scripts, a few excepted.
  Status Property() {
    Copy(2);
    if (!At("{")) return {};
    const std::size_t end = pattern_.find('}', pos_);
    if (end == std::string_view::npos) return {};
    Copy();
    if (At("^")) Copy();
    const std::string_view name = pattern_.substr(pos_, end - pos_);
    const bool script = name.size() > 2 && name.find_first_of(":=") == std::string_view::npos &&
                        std::find(kNoScripts.begin(), kNoScripts.end(), name) == kNoScripts.end();
    if (script) out_ += "sc:";
    Copy(end + 1 - pos_);
    return {};
  }

  std::string_view pattern_;
  std::size_t pos_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

Result<std::string> TranslatePattern(std::string_view pattern) {
  return Translator(pattern).Run();
}

}  // namespace sglrun::tokenizer
