// Recursive descent over groups, no deeper than Limits::nesting.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/utf8.h"
#include "grammar/grammar.h"
#include "grammar/regex/ast.h"
#include "grammar/regex/class_parser.h"
#include "grammar/regex/escape.h"
#include "grammar/regex/fold.h"

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

struct Flags {
  bool ignore_case = false;
  bool dot_all = false;
};

struct Count {
  std::int64_t min = 0;
  std::int64_t max = 0;  // or kUnbounded
};

class Parser {
 public:
  Parser(std::u32string text, const Limits& limits) : cursor_(std::move(text)), limits_(limits) {}

  Result<RegexAst, GrammarError> Parse(Flags flags) {
    SGLRUN_RETURN_IF_ERROR(ParseBranches(flags, 0, ast_.branches));
    if (!cursor_.AtEnd()) {
      return Cursor::Invalid(cursor_.offset(), "\")\" has no opening parenthesis");
    }
    return std::move(ast_);
  }

 private:
  using NodeResult = Result<RegexNodeId, GrammarError>;
  // A group may stand for no node: flags, and look-aheads that are kept apart.
  using TermResult = Result<std::optional<RegexNodeId>, GrammarError>;

  // Where a term stands.
  struct Place {
    Flags* flags;        // of the rest of the group
    int depth = 0;       // 0: outside all groups
    bool first = false;  // only ^ stands before it in its group
  };

  Result<void, GrammarError> ParseBranches(Flags flags, int depth,
                                           std::vector<RegexNodeId>& branches) {
    do {
      SGLRUN_ASSIGN_OR_RETURN(const RegexNodeId branch,
                              ParseSequence({&flags, depth, branches.empty()}));
      branches.push_back(branch);
    } while (cursor_.Take('|'));
    return {};
  }

  NodeResult ParseSequence(Place place) {
    std::vector<RegexNodeId> items;
    while (!cursor_.AtEnd() && cursor_.Peek() != '|' && cursor_.Peek() != ')') {
      const bool is_group = cursor_.Peek() == '(';
      SGLRUN_ASSIGN_OR_RETURN(const auto term, ParseTerm(place));
      if (!term) continue;
      SGLRUN_ASSIGN_OR_RETURN(const RegexNodeId repeated, ParseQuantifier(*term, is_group));
      items.push_back(repeated);
      place.first = place.first && ast_[repeated].kind == Kind::kStart;
    }
    return Sequence(std::move(items));
  }

  TermResult ParseTerm(const Place& place) {
    const std::size_t begin = cursor_.offset();
    if (LooksLikeQuantifier()) {
      return Cursor::Invalid(begin, "the quantifier has nothing to repeat");
    }
    const char32_t c = cursor_.Next();
    const Flags& flags = *place.flags;
    switch (c) {
      case '(':
        return ParseGroup(place, begin);
      case '^':
        return Some(Kind::kStart);
      case '$':
        return Some(Kind::kEnd);
      case '.':
        return Chars(flags.dot_all ? CharSet::All() : NoLineEnd());
      case '[': {
        SGLRUN_ASSIGN_OR_RETURN(CharSet set, ParseClass(cursor_, flags.ignore_case));
        return Chars(std::move(set));
      }
      case '\\': {
        SGLRUN_ASSIGN_OR_RETURN(const Escape escape,
                                ParseEscape(cursor_, {false, flags.ignore_case}));
        if (const auto* anchor = std::get_if<AnchorEscape>(&escape)) {
          return Some(*anchor == AnchorEscape::kStart ? Kind::kStart : Kind::kEnd);
        }
        if (const auto* set = std::get_if<ClassEscape>(&escape)) return Chars(set->inside);
        return Literal(std::get<char32_t>(escape), flags);
      }
      default:
        return Literal(c, flags);
    }
  }

  TermResult ParseGroup(const Place& place, std::size_t begin) {
    if (!cursor_.Take('?')) return ParseGroupBody(place, *place.flags, begin);
    const char32_t c = cursor_.Peek();
    if (cursor_.Take(':')) return ParseGroupBody(place, *place.flags, begin);
    if (c == '=' || c == '!') return ParseLookAhead(place, begin);
    if (c == '<' && (cursor_.Peek(1) == '=' || cursor_.Peek(1) == '!')) {
      return Cursor::Unsupported(begin, "a look-behind");
    }
    if (cursor_.StartsWith(U"P<")) cursor_.Skip(1);
    if (cursor_.Take('<')) {
      SGLRUN_RETURN_IF_ERROR(ParseName(begin));
      return ParseGroupBody(place, *place.flags, begin);
    }
    if (auto refused = RefuseGroup(begin)) return std::move(*refused);
    return ParseFlags(place, begin);
  }

  std::optional<GrammarError> RefuseGroup(std::size_t begin) const {
    const char32_t c = cursor_.Peek();
    const char32_t next = cursor_.Peek(1);
    const auto is_digit = [](char32_t d) { return d >= '0' && d <= '9'; };
    if (c == '>') return Cursor::Unsupported(begin, "an atomic group");
    if (c == '(') return Cursor::Unsupported(begin, "a conditional group");
    if (c == '|') return Cursor::Unsupported(begin, "a branch reset group");
    if (c == '#') return Cursor::Unsupported(begin, "a comment group");
    if (c == '\'') return Cursor::Unsupported(begin, "a group named in quotes");
    if (c == 'P' && next == '=') return Cursor::Unsupported(begin, "a back-reference");
    if (c == 'R' || c == '&' || c == '+' || is_digit(c) || (c == 'P' && next == '>') ||
        (c == '-' && is_digit(next))) {
      return Cursor::Unsupported(begin, "recursion");
    }
    return std::nullopt;
  }

  Result<void, GrammarError> ParseName(std::size_t begin) {
    const std::size_t first = cursor_.offset();
    const auto is_letter = [](char32_t c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
    };
    while (cursor_.Peek() != Cursor::kEnd &&
           (is_letter(cursor_.Peek()) ||
            (cursor_.offset() > first && cursor_.Peek() >= '0' && cursor_.Peek() <= '9'))) {
      cursor_.Skip(1);
    }
    if (cursor_.offset() == first || !cursor_.Take('>')) {
      return Cursor::Invalid(begin, "the name of the group is not a name followed by \">\"");
    }
    return {};
  }

  // (?is) and (?is:..), also with flags behind a minus taken away.
  TermResult ParseFlags(const Place& place, std::size_t begin) {
    Flags flags = *place.flags;
    bool value = true;
    for (;; cursor_.Skip(1)) {
      const char32_t c = cursor_.Peek();
      if (c == 'i') {
        flags.ignore_case = value;
      } else if (c == 's') {
        flags.dot_all = value;
      } else if (c == '-' && value) {
        value = false;
      } else {
        break;
      }
    }
    if (cursor_.Take(':')) return ParseGroupBody(place, flags, begin);
    const bool has_flags = cursor_.offset() > begin + 2;
    if (has_flags && cursor_.Take(')')) {
      if (!place.first) {
        return Cursor::Unsupported(begin, "a flag that is not at the start of its group");
      }
      *place.flags = flags;
      return TermResult(std::nullopt);
    }
    const char32_t c = cursor_.Peek();
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      return Cursor::Unsupported(begin, std::string("the flag ") + static_cast<char>(c));
    }
    return Cursor::Invalid(begin, "\"(?\" starts no group that is known");
  }

  TermResult ParseLookAhead(const Place& place, std::size_t begin) {
    const bool negative = cursor_.Next() == '!';
    if (place.depth > 0 || !place.first) {
      return Cursor::Unsupported(begin, "a look-ahead that is not at the start of the pattern");
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto body, ParseGroupBody(place, *place.flags, begin));
    if (LooksLikeQuantifier()) {
      return Cursor::Unsupported(cursor_.offset(), "a repeated look-ahead");
    }
    ast_.look_aheads.push_back({*body, negative});
    return TermResult(std::nullopt);
  }

  TermResult ParseGroupBody(const Place& place, Flags flags, std::size_t begin) {
    if (place.depth >= limits_.nesting) {
      return Cursor::Error(Verdict::kTooLarge, begin,
                           "groups are nested deeper than " + std::to_string(limits_.nesting));
    }
    std::vector<RegexNodeId> branches;
    SGLRUN_RETURN_IF_ERROR(ParseBranches(flags, place.depth + 1, branches));
    if (!cursor_.Take(')')) return Cursor::Invalid(begin, "\"(\" is not closed");
    if (branches.size() == 1) return TermResult(branches.front());
    return TermResult(ast_.Add({Kind::kChoice, nullptr, std::move(branches)}));
  }

  NodeResult ParseQuantifier(RegexNodeId item, bool is_group) {
    if (!LooksLikeQuantifier()) return item;
    const std::size_t begin = cursor_.offset();
    const Kind kind = ast_[item].kind;
    if (!is_group && (kind == Kind::kStart || kind == Kind::kEnd)) {  // (^)* is fine
      return Cursor::Invalid(begin, "the quantifier has nothing to repeat");
    }
    SGLRUN_ASSIGN_OR_RETURN(const Count count, ParseCount());
    const std::size_t end = cursor_.offset();
    const bool lazy = cursor_.Take('?');
    if (!lazy && cursor_.Peek() == '+') return Cursor::Unsupported(end, "a possessive quantifier");
    if (LooksLikeQuantifier()) {
      return Cursor::Invalid(cursor_.offset(), "a quantifier follows a quantifier");
    }
    return ast_.Add({Kind::kRepeat, nullptr, {item}, count.min, count.max});
  }

  bool LooksLikeQuantifier() const {
    const char32_t c = cursor_.Peek();
    if (c == '*' || c == '+' || c == '?') return true;
    if (c != '{') return false;
    std::size_t i = 1;
    const auto skip_digits = [&] {
      const std::size_t from = i;
      while (cursor_.Peek(i) >= '0' && cursor_.Peek(i) <= '9') ++i;
      return i > from;
    };
    if (!skip_digits()) return false;
    if (cursor_.Peek(i) == ',') ++i, skip_digits();
    return cursor_.Peek(i) == '}';
  }

  // Requires LooksLikeQuantifier().
  Result<Count, GrammarError> ParseCount() {
    const std::size_t begin = cursor_.offset();
    switch (cursor_.Next()) {
      case '*':
        return Count{0, kUnbounded};
      case '+':
        return Count{1, kUnbounded};
      case '?':
        return Count{0, 1};
      default:
        break;
    }
    Count count;
    count.min = count.max = ParseNumber();
    if (cursor_.Take(',')) count.max = cursor_.Peek() == '}' ? kUnbounded : ParseNumber();
    cursor_.Take('}');
    if (std::max(count.min, count.max) > limits_.repetition) {
      return Cursor::Error(Verdict::kTooLarge, begin,
                           cursor_.From(begin) + " repeats more than " +
                               std::to_string(limits_.repetition) + " times");
    }
    if (count.max != kUnbounded && count.min > count.max) {
      return Cursor::Invalid(begin, "the bounds of " + cursor_.From(begin) + " go backwards");
    }
    return count;
  }

  std::int64_t ParseNumber() {
    std::int64_t value = 0;
    while (cursor_.Peek() >= '0' && cursor_.Peek() <= '9') {
      value = std::min<std::int64_t>(value * 10 + (cursor_.Next() - '0'), limits_.repetition + 1);
    }
    return value;
  }

  RegexNodeId Sequence(std::vector<RegexNodeId> items) {
    if (items.size() == 1) return items.front();
    if (items.empty()) return ast_.Add({});
    return ast_.Add({Kind::kSequence, nullptr, std::move(items)});
  }

  TermResult Some(Kind kind) { return TermResult(ast_.Add({kind})); }

  TermResult Chars(std::shared_ptr<const CharSet> set) {
    return TermResult(ast_.Add({Kind::kChars, std::move(set)}));
  }
  TermResult Chars(CharSet set) { return Chars(std::make_shared<const CharSet>(std::move(set))); }

  TermResult Literal(char32_t c, Flags flags) {
    const std::uint64_t key = std::uint64_t{c} << 1 | (flags.ignore_case ? 1 : 0);
    auto& known = literals_[key];
    if (known == nullptr) {
      const CharSet set = CharSet::Of(c);
      known = std::make_shared<const CharSet>(flags.ignore_case ? FoldNarrowly(set) : set);
    }
    return Chars(known);
  }

  static CharSet NoLineEnd() {
    return CharSet{{U'\n', U'\n'}, {U'\r', U'\r'}, {0x2028, 0x2029}}.Complement();
  }

  Cursor cursor_;
  const Limits& limits_;
  RegexAst ast_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const CharSet>> literals_;
};

}  // namespace

Result<RegexAst, GrammarError> ParseRegex(std::string_view pattern, RegexFlags flags,
                                          const Limits& limits) {
  if (pattern.size() > limits.regex_bytes) {
    return GrammarError{Verdict::kTooLarge, "regex: it has " + std::to_string(pattern.size()) +
                                                " bytes, at most " +
                                                std::to_string(limits.regex_bytes) + " are read"};
  }
  if (const std::size_t bad = FindInvalidUtf8(pattern); bad != std::string_view::npos) {
    return GrammarError{Verdict::kInvalid, "regex: byte " + std::to_string(bad) + " is no UTF-8"};
  }
  std::u32string text;
  for (std::size_t pos = 0; pos < pattern.size();) text += DecodeUtf8(pattern, pos);
  return Parser(std::move(text), limits).Parse({flags.ignore_case, flags.dot_all});
}

}  // namespace sglrun::grammar
