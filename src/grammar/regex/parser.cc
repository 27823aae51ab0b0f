#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/utf8.h"
#include "grammar/ir/grammar.h"
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
  bool wide = false;  // RegexFlags::wide; the other way round in a negative look-ahead
};

struct Count {
  std::int64_t min = 0;
  std::int64_t max = 0;  // or kUnbounded
};

// A group that is open: what was read of it.
struct Group {
  enum class Role : std::uint8_t { kPlain, kLookAhead, kNegativeLookAhead };

  std::size_t begin = 0;
  Role role = Role::kPlain;
  Flags flags;
  bool at_front = true;  // only ^ was read
  std::vector<RegexNodeId> items;
  std::vector<RegexNodeId> branches;
};

// Open groups lie on a stack in memory, no more of them than Limits::nesting.
class Parser {
 public:
  Parser(std::u32string text, const Limits& limits) : cursor_(std::move(text)), limits_(limits) {}

  Result<RegexAst, GrammarError> Parse(Flags flags) {
    groups_.push_back({0, Group::Role::kPlain, flags, true, {}, {}});
    while (!cursor_.AtEnd()) {
      if (cursor_.Peek() == ')') {
        SGLRUN_RETURN_IF_ERROR(CloseGroup());
      } else if (cursor_.Take('|')) {
        EndBranch();
      } else {
        SGLRUN_RETURN_IF_ERROR(ParseTerm());
      }
    }
    if (groups_.size() > 1) return Cursor::Invalid(groups_.back().begin, "\"(\" is not closed");
    EndBranch();
    ast_.branches = std::move(groups_.back().branches);
    return std::move(ast_);
  }

 private:
  using VoidResult = Result<void, GrammarError>;

  Group& Innermost() { return groups_.back(); }

  VoidResult ParseTerm() {
    const std::size_t begin = cursor_.offset();
    if (LooksLikeQuantifier()) {
      return Cursor::Invalid(begin, "the quantifier has nothing to repeat");
    }
    const char32_t c = cursor_.Next();
    const Flags flags = Innermost().flags;
    switch (c) {
      case '(':
        return ParseGroup(begin);
      case '^':
        return AddAnchor(Kind::kStart);
      case '$':
        if (flags.wide) Innermost().items.push_back(OptionalLineEnd());
        return AddAnchor(Kind::kEnd);
      case '.':
        return AddItem(Chars(flags.dot_all ? CharSet::All() : NoLineEnd(flags.wide)));
      case '[': {
        SGLRUN_ASSIGN_OR_RETURN(CharSet set, ParseClass(cursor_, {flags.ignore_case, flags.wide}));
        return AddItem(Chars(std::move(set)));
      }
      case '\\': {
        SGLRUN_ASSIGN_OR_RETURN(const Escape escape,
                                ParseEscape(cursor_, {false, flags.ignore_case, flags.wide}));
        if (const auto* anchor = std::get_if<AnchorEscape>(&escape)) {
          return AddAnchor(*anchor == AnchorEscape::kStart ? Kind::kStart : Kind::kEnd);
        }
        if (const auto* set = std::get_if<ClassEscape>(&escape)) return AddItem(Chars(set->inside));
        return AddItem(Literal(std::get<char32_t>(escape), flags));
      }
      default:
        return AddItem(Literal(c, flags));
    }
  }

  // The cursor is after the opening parenthesis.
  VoidResult ParseGroup(std::size_t begin) {
    const Flags flags = Innermost().flags;
    if (!cursor_.Take('?') || cursor_.Take(':')) return OpenGroup(begin, flags);
    const char32_t c = cursor_.Peek();
    if (c == '=' || c == '!') return OpenLookAhead(begin);
    if (c == '<' && (cursor_.Peek(1) == '=' || cursor_.Peek(1) == '!')) {
      return Cursor::Unsupported(begin, "a look-behind");
    }
    if (cursor_.StartsWith(U"P<")) cursor_.Skip(1);
    if (cursor_.Take('<')) {
      SGLRUN_RETURN_IF_ERROR(ParseName(begin));
      return OpenGroup(begin, flags);
    }
    if (auto refused = RefuseGroup(begin)) return std::move(*refused);
    return ParseFlags(begin);
  }

  VoidResult OpenGroup(std::size_t begin, Flags flags, Group::Role role = Group::Role::kPlain) {
    if (groups_.size() > static_cast<std::size_t>(limits_.nesting)) {
      return Cursor::Error(Verdict::kTooLarge, begin,
                           "groups are nested deeper than " + std::to_string(limits_.nesting));
    }
    groups_.push_back({begin, role, flags, true, {}, {}});
    return {};
  }

  VoidResult OpenLookAhead(std::size_t begin) {
    const bool negative = cursor_.Next() == '!';
    if (groups_.size() > 1 || !Innermost().at_front) {
      return Cursor::Unsupported(begin, "a look-ahead that is not at the start of the pattern");
    }
    Flags flags = Innermost().flags;
    flags.wide = flags.wide != negative;
    return OpenGroup(begin, flags,
                     negative ? Group::Role::kNegativeLookAhead : Group::Role::kLookAhead);
  }

  VoidResult CloseGroup() {
    if (groups_.size() == 1) {
      return Cursor::Invalid(cursor_.offset(), "\")\" has no opening parenthesis");
    }
    cursor_.Skip(1);
    EndBranch();
    Group group = std::move(groups_.back());
    groups_.pop_back();
    const RegexNodeId body =
        group.branches.size() == 1
            ? group.branches.front()
            : ast_.Add({Kind::kChoice, nullptr, std::move(group.branches), 0, 0});
    if (group.role == Group::Role::kPlain) return AddItem(body);
    if (LooksLikeQuantifier()) {
      return Cursor::Unsupported(cursor_.offset(), "a repeated look-ahead");
    }
    ast_.look_aheads.push_back({body, group.role == Group::Role::kNegativeLookAhead});
    return {};
  }

  void EndBranch() {
    Group& group = Innermost();
    group.branches.push_back(Sequence(std::exchange(group.items, {})));
    group.at_front = false;
  }

  VoidResult AddAnchor(Kind kind) {
    if (LooksLikeQuantifier()) {  // of (^)* it is fine
      return Cursor::Invalid(cursor_.offset(), "the quantifier has nothing to repeat");
    }
    return AddItem(ast_.Add({kind, nullptr, {}, 0, 0}));
  }

  VoidResult AddItem(RegexNodeId item) {
    if (LooksLikeQuantifier()) {
      SGLRUN_ASSIGN_OR_RETURN(item, ParseQuantifier(item));
    }
    Group& group = Innermost();
    group.items.push_back(item);
    group.at_front = group.at_front && ast_[item].kind == Kind::kStart;
    return {};
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

  VoidResult ParseName(std::size_t begin) {
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

  // (?is) and (?is:..), also with a minus, after which flags are switched off.
  VoidResult ParseFlags(std::size_t begin) {
    Flags flags = Innermost().flags;
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
    if (cursor_.Take(':')) return OpenGroup(begin, flags);
    const bool has_flags = cursor_.offset() > begin + 2;
    if (has_flags && cursor_.Take(')')) {
      if (!Innermost().at_front) {
        return Cursor::Unsupported(begin, "a flag that is not at the start of its group");
      }
      Innermost().flags = flags;
      return {};
    }
    const char32_t c = cursor_.Peek();
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      return Cursor::Unsupported(begin, std::string("the flag ") + static_cast<char>(c));
    }
    return Cursor::Invalid(begin, "\"(?\" starts no group that is known");
  }

  // Requires LooksLikeQuantifier().
  Result<RegexNodeId, GrammarError> ParseQuantifier(RegexNodeId item) {
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

  RegexNodeId Chars(std::shared_ptr<const CharSet> set) {
    return ast_.Add({Kind::kChars, std::move(set), {}, 0, 0});
  }
  RegexNodeId Chars(CharSet set) { return Chars(std::make_shared<const CharSet>(std::move(set))); }

  RegexNodeId Literal(char32_t c, Flags flags) {
    const std::uint64_t key =
        std::uint64_t{c} << 2 | (flags.ignore_case ? 1 : 0) | (flags.wide ? 2 : 0);
    auto& known = literals_[key];
    if (known == nullptr) {
      const CharSet set = CharSet::Of(c);
      known = std::make_shared<const CharSet>(!flags.ignore_case ? set
                                              : flags.wide       ? FoldWidely(set)
                                                                 : FoldNarrowly(set));
    }
    return Chars(known);
  }

  // What Python and PCRE allow between the end that $ means and the end of the text.
  RegexNodeId OptionalLineEnd() {
    const RegexNodeId line_end = Chars(CharSet::Of(U'\n'));
    return ast_.Add({Kind::kRepeat, nullptr, {line_end}, 0, 1});
  }

  // Python ends lines at \n only.
  static CharSet NoLineEnd(bool wide) {
    if (wide) return CharSet::Of(U'\n').Complement();
    return CharSet{{U'\n', U'\n'}, {U'\r', U'\r'}, {0x2028, 0x2029}}.Complement();
  }

  Cursor cursor_;
  const Limits& limits_;
  RegexAst ast_;
  std::vector<Group> groups_;  // the first is the whole pattern
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
    return GrammarError{Verdict::kInvalid, "regex: byte " + std::to_string(bad) + " is not UTF-8"};
  }
  std::u32string text;
  for (std::size_t pos = 0; pos < pattern.size();) text += DecodeUtf8(pattern, pos);
  return Parser(std::move(text), limits).Parse({flags.ignore_case, flags.dot_all, flags.wide});
}

}  // namespace sglrun::grammar
