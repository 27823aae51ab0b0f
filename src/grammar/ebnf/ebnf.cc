// EBNF in the notation of GBNF and XGrammar (docs/constraints.md). The reader keeps its own stack
// instead of recursing, and builds expressions while reading.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "grammar/ebnf/macros.h"
#include "grammar/ebnf/rule_bounds.h"
#include "grammar/ebnf/scanner.h"
#include "grammar/ir/front_end.h"
#include "grammar/ir/token_element.h"

namespace sglrun::grammar {
namespace {

using ebnf::Scanner;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
// After a fixed number of open parentheses the group becomes a rule of its own, so that expressions
// stay
// shallow (front_end.h) where texts need not be.
constexpr std::size_t kGroupsPerRule = 64;

class Reader {
 public:
  Reader(FrontEnd& front, std::string_view text)
      : front_(front),
        scanner_(text, front.report),
        most_groups_(4 * static_cast<std::size_t>(front.budget.limits().nesting)),
        call_rule_([this](std::string_view name, std::size_t pos) { return Call(name, pos); }) {}

  ExprResult Read() {
    scanner_.SkipBlanks();
    while (!scanner_.at_end()) {
      SGLRUN_RETURN_IF_ERROR(ReadRule());
    }
    SGLRUN_ASSIGN_OR_RETURN(const ExprId root, Root());
    SGLRUN_RETURN_IF_ERROR(bounds_.Apply(front_, scanner_));
    return root;
  }

 private:
  struct Rule {
    RuleId id = 0;
    std::size_t defined_at = kNowhere;
    std::size_t used_at = kNowhere;
  };

  // An open parenthesis, or the body of a rule.
  struct Group {
    enum class Kind : std::uint8_t { kBody, kParentheses, kLookAhead } kind = Kind::kBody;
    std::size_t opened_at = 0;
    std::vector<ExprId> alternatives = {};
    std::vector<ExprId> items = {};  // of the alternative being read
    bool may_repeat = false;         // the last item has no operator yet
    bool is_closed = false;          // a look-ahead assertion ended the body
  };

  Rule& Find(std::string_view name) {
    const auto place = rules_.find(name);
    if (place != rules_.end()) return place->second;
    Rule rule{front_.grammar.AddRule(std::string(name))};
    return rules_.emplace(name, rule).first->second;
  }

  ExprId Call(std::string_view name, std::size_t pos) {
    Rule& rule = Find(name);
    if (rule.used_at == kNowhere) rule.used_at = pos;
    return front_.grammar.Call(rule.id);
  }

  Result<void, GrammarError> ReadRule() {
    const std::size_t start = scanner_.pos();
    SGLRUN_RETURN_IF_ERROR(CheckRuleStart());
    const std::string_view name = scanner_.TakeName();
    Rule& rule = Find(name);
    if (scanner_.Peek() == '[') {
      SGLRUN_RETURN_IF_ERROR(bounds_.Take(scanner_, front_, rule.id));
    }
    scanner_.SkipBlanks();
    scanner_.Take("::=");
    if (rule.defined_at != kNowhere) {
      return scanner_.Invalid(start, "the rule \"" + std::string(name) +
                                         "\" is defined already at " +
                                         scanner_.Place(rule.defined_at));
    }
    rule.defined_at = start;
    const RuleId id = rule.id;
    SGLRUN_ASSIGN_OR_RETURN(const ExprId body, ReadBody());
    front_.grammar.Define(id, body);
    return {};
  }

  Result<void, GrammarError> CheckRuleStart() const {
    const std::size_t start = scanner_.pos();
    if (scanner_.At("::=")) return scanner_.Invalid(start, "\"::=\" has no name before it");
    if (!scanner_.AtRuleStart()) {
      return scanner_.Invalid(
          start, "a rule \"name ::= ...\" is expected, found " + scanner_.Shown(start));
    }
    if (!scanner_.IsFirstOnLine(start)) {
      return scanner_.Invalid(start, "a rule must begin on a line of its own");
    }
    return {};
  }

  // Until the next rule or the end of the text.
  ExprResult ReadBody() {
    groups_.clear();
    groups_.push_back({.opened_at = scanner_.pos()});
    while (true) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("reading EBNF"));
      scanner_.SkipBlanks();
      const std::size_t start = scanner_.pos();
      const bool at_rule = scanner_.AtRuleStart();
      if (scanner_.at_end() || (at_rule && scanner_.IsFirstOnLine(start))) break;
      if (at_rule) return scanner_.Invalid(start, "a rule must begin on a line of its own");
      if (groups_.back().is_closed) {
        return scanner_.Invalid(start,
                                "a look-ahead assertion (= ...) must be the last of its rule");
      }
      SGLRUN_RETURN_IF_ERROR(ReadElement());
    }
    if (groups_.size() > 1) {
      return scanner_.Invalid(groups_.back().opened_at, "the parenthesis is not closed");
    }
    return CloseGroup();
  }

  Result<void, GrammarError> ReadElement() {
    const std::size_t start = scanner_.pos();
    switch (scanner_.Peek()) {
      case '(':
        return OpenGroup();
      case ')':
        return EndGroup();
      case '|':
        scanner_.Take("|");
        EndAlternative();
        return {};
      case '*':
      case '+':
      case '?':
      case '{':
        return ReadOperator();
      default:
        break;
    }
    SGLRUN_ASSIGN_OR_RETURN(const ExprId item, ReadAtom(start));
    if (front_.grammar.node_count() > front_.budget.limits().nodes) {
      return scanner_.ErrorAt(
          start, Verdict::kTooLarge,
          "the grammar has more than " + std::to_string(front_.budget.limits().nodes) + " parts");
    }
    AddItem(item);
    return {};
  }

  void AddItem(ExprId item) {
    groups_.back().items.push_back(item);
    groups_.back().may_repeat = true;
  }

  ExprResult ReadAtom(std::size_t start) {
    const char c = scanner_.Peek();
    if (c == '"') {
      SGLRUN_ASSIGN_OR_RETURN(const std::string text, scanner_.TakeLiteral());
      return front_.grammar.Bytes(text);
    }
    if (c == '[') {
      SGLRUN_ASSIGN_OR_RETURN(CharSet chars, scanner_.TakeClass());
      return chars.empty() ? front_.grammar.Never() : front_.grammar.Chars(std::move(chars));
    }
    if (scanner_.Take(".")) return front_.grammar.Chars(CharSet::All());
    if (c == '<') return ReadToken(/*excluded=*/false);
    if (c == '!' && scanner_.Peek(1) == '<') {
      scanner_.Take("!");
      return ReadToken(/*excluded=*/true);
    }
    const std::string_view name = scanner_.TakeName();
    if (name.empty()) return UnknownElement(start);
    if (scanner_.Peek() == '(' && ebnf::IsMacro(name)) {
      return TakeMacro(front_, scanner_, name, call_rule_);
    }
    return Call(name, start);
  }

  GrammarError UnknownElement(std::size_t start) const {
    if (scanner_.At("::=")) {
      return scanner_.Invalid(start, "\"::=\" has no name at the start of its line before it");
    }
    return scanner_.Invalid(start,
                            "a literal, a class, a rule, a token or a group is expected, "
                            "found " +
                                scanner_.Shown(start));
  }

  // <[123]> or <text>, which is the text of one token with its angle brackets.
  ExprResult ReadToken(bool excluded) {
    const std::size_t start = scanner_.pos();
    SGLRUN_ASSIGN_OR_RETURN(const std::string_view angled, scanner_.TakeAngled());
    Result<std::int32_t, GrammarError> id = 0;
    if (angled.starts_with("<[") && angled.ends_with("]>")) {
      const std::size_t end = scanner_.pos();
      scanner_.set_pos(start + 2);
      const auto number = scanner_.TakeNumber();
      if (!number || scanner_.pos() + 2 != end) {
        return scanner_.Invalid(start, "<[...]> holds one token id, found " + std::string(angled));
      }
      scanner_.set_pos(end);
      id = TokenById(front_, *number);
    } else {
      id = TokenByText(front_, angled);
    }
    if (!id.ok()) return scanner_.ErrorAt(start, id.error().verdict, id.error().message);
    return front_.grammar.Tokens({*id}, excluded);
  }

  Result<void, GrammarError> OpenGroup() {
    const std::size_t start = scanner_.pos();
    scanner_.Take("(");
    scanner_.SkipBlanks();
    Group group{.kind = Group::Kind::kParentheses, .opened_at = start};
    if (scanner_.Take("=")) {
      if (groups_.size() > 1) {
        return scanner_.Invalid(
            start,
            "a look-ahead assertion (= ...) must be at the end of a rule, not inside parentheses");
      }
      group.kind = Group::Kind::kLookAhead;
    }
    if (groups_.size() >= most_groups_) {
      return scanner_.ErrorAt(
          start, Verdict::kTooLarge,
          "parentheses are nested deeper than " + std::to_string(most_groups_) + " levels");
    }
    groups_.push_back(std::move(group));
    return {};
  }

  Result<void, GrammarError> EndGroup() {
    const std::size_t start = scanner_.pos();
    if (groups_.size() == 1) return scanner_.Invalid(start, "\")\" closes no parenthesis");
    scanner_.Take(")");
    const Group::Kind kind = groups_.back().kind;
    const std::size_t depth = groups_.size();
    ExprId expr = CloseGroup();
    if (kind == Group::Kind::kLookAhead) {
      groups_.back().is_closed = true;
      groups_.back().may_repeat = false;
      return {};
    }
    if (depth % kGroupsPerRule == 0) {
      const RuleId rule = front_.grammar.AddRule("(group)");
      front_.grammar.Define(rule, expr);
      expr = front_.grammar.Call(rule);
    }
    AddItem(expr);
    return {};
  }

  void EndAlternative() {
    Group& group = groups_.back();
    group.alternatives.push_back(group.items.empty() ? front_.grammar.Empty()
                                                     : front_.grammar.Sequence(group.items));
    group.items.clear();
    group.may_repeat = false;
  }

  ExprId CloseGroup() {
    EndAlternative();
    const ExprId expr = front_.grammar.Choice(std::move(groups_.back().alternatives));
    groups_.pop_back();
    return expr;
  }

  Result<void, GrammarError> ReadOperator() {
    const std::size_t start = scanner_.pos();
    Group& group = groups_.back();
    if (!group.may_repeat) {
      return scanner_.Invalid(
          start, group.items.empty() ? scanner_.Shown(start) + " has nothing before it to repeat"
                                     : scanner_.Shown(start) +
                                           " follows another operator: put parentheses around "
                                           "what it repeats");
    }
    std::int64_t min = 0, max = kUnbounded;
    if (scanner_.Take("+")) {
      min = 1;
    } else if (scanner_.Take("?")) {
      max = 1;
    } else if (!scanner_.Take("*")) {
      SGLRUN_RETURN_IF_ERROR(ReadBounds(min, max));
    }
    ExprId& item = group.items.back();
    if (max == 0) {
      item = front_.grammar.Empty();
    } else {
      item = min == 0 && max == 1 ? front_.grammar.Optional(item)
                                  : front_.grammar.Repeat(item, min, max);
    }
    group.may_repeat = false;
    return {};
  }

  // {n}, {n,}, {n,m}.
  Result<void, GrammarError> ReadBounds(std::int64_t& min, std::int64_t& max) {
    const std::size_t start = scanner_.pos();
    scanner_.Take("{");
    SGLRUN_ASSIGN_OR_RETURN(min, ReadBound(start));
    max = min;
    if (scanner_.Take(",")) {
      scanner_.SkipBlanks();
      max = kUnbounded;
      if (scanner_.Peek() != '}') {
        SGLRUN_ASSIGN_OR_RETURN(max, ReadBound(start));
      }
    }
    if (!scanner_.Take("}")) return MalformedBounds(start);
    if (max != kUnbounded && min > max) {
      return scanner_.Invalid(start, "{" + std::to_string(min) + "," + std::to_string(max) +
                                         "} has its bounds in the wrong order");
    }
    return {};
  }

  Result<std::int64_t, GrammarError> ReadBound(std::size_t start) {
    scanner_.SkipBlanks();
    const std::size_t digits = scanner_.pos();
    const auto bound = scanner_.TakeNumber();
    if (!bound && scanner_.pos() == digits) return MalformedBounds(start);
    const std::int64_t most = front_.budget.limits().repetition;
    if (!bound || *bound > most) {
      return scanner_.ErrorAt(start, Verdict::kTooLarge,
                              "a repetition may have bounds up to " + std::to_string(most));
    }
    scanner_.SkipBlanks();
    return *bound;
  }

  GrammarError MalformedBounds(std::size_t start) const {
    return scanner_.Invalid(start, "a repetition is written {n}, {n,} or {n,m}");
  }

  ExprResult Root() const {
    const auto undefined = std::ranges::min_element(rules_, {}, [](const auto& entry) {
      return entry.second.defined_at == kNowhere ? entry.second.used_at : kNowhere;
    });
    if (undefined != rules_.end() && undefined->second.defined_at == kNowhere) {
      return scanner_.Invalid(undefined->second.used_at, Undefined(undefined->first));
    }
    const auto root = rules_.find("root");
    if (root == rules_.end()) {
      return GrammarError{Verdict::kInvalid, "there is no rule \"root\", the start of the grammar"};
    }
    return front_.grammar.Call(root->second.id);
  }

  std::string Undefined(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const auto& [other, rule] : rules_) {
      if (rule.defined_at != kNowhere) known.push_back(other);
    }
    const std::string near = NearestName(name, known);
    return "the rule \"" + name + "\" is not defined" +
           (near.empty() ? "" : ", did you mean \"" + near + "\"?");
  }

  FrontEnd& front_;
  Scanner scanner_;
  std::size_t most_groups_;
  ebnf::CallRule call_rule_;
  std::map<std::string, Rule, std::less<>> rules_;
  ebnf::RuleBounds bounds_;
  std::vector<Group> groups_;
};

// `start: "a" | other` on some line: a rule of Lark.
bool LooksLikeLark(std::string_view text) {
  std::size_t line = 0;
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    std::size_t pos = line;
    while (pos < end && (std::isalnum(static_cast<unsigned char>(text[pos])) != 0 ||
                         std::string_view("_?!").find(text[pos]) != std::string_view::npos)) {
      ++pos;
    }
    if (pos > line && pos < end && text[pos] == ':') return true;
    line = end + 1;
  }
  return false;
}

}  // namespace

ExprResult AppendEbnf(FrontEnd& front, std::string_view text) {
  if (text.size() > front.budget.limits().text_bytes) {
    return GrammarError{Verdict::kTooLarge,
                        "the grammar has " + std::to_string(text.size()) + " bytes, at most " +
                            std::to_string(front.budget.limits().text_bytes) + " are possible"};
  }
  const std::size_t bad = FindInvalidUtf8(text);
  if (bad != std::string_view::npos) {
    return GrammarError{Verdict::kInvalid,
                        "byte " + std::to_string(bad) + " of the grammar is not UTF-8"};
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find("::=") == std::string_view::npos) {
    return GrammarError{
        Verdict::kInvalid,
        LooksLikeLark(text)
            ? "this is a Lark grammar (name: body); write its rules as name ::= body, the start as "
              "root"
            : "there is no rule: a grammar is made of lines such as root ::= \"yes\" | \"no\""};
  }
  return Reader(front, text).Read();
}

}  // namespace sglrun::grammar
