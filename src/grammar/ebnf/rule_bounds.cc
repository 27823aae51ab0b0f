#include "grammar/ebnf/rule_bounds.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"

namespace sglrun::grammar::ebnf {
namespace {

constexpr std::string_view kMaxChars = "max_chars", kMaxTokens = "max_tokens";
constexpr std::array<std::string_view, 2> kBounds = {kMaxChars, kMaxTokens};
// Known to other engines; none of them is about the text alone.
constexpr std::array<std::string_view, 3> kOthers = {"lazy", "capture", "temperature"};

// Under relax an option that is not about the text alone is passed over, with its value.
Result<void, GrammarError> PassOver(Scanner& scanner, const FrontEnd& front, std::size_t pos,
                                    const std::string& option) {
  if (!front.options.relax_unsupported) {
    return scanner.ErrorAt(pos, Verdict::kUnsupported,
                           "the rule option \"" + option + "\" cannot be enforced: remove it");
  }
  scanner.SkipBlanks();
  if (scanner.Take("=")) {
    while (!scanner.at_end() && scanner.Peek() != ',' && scanner.Peek() != ']' &&
           scanner.Peek() != '\n') {
      scanner.set_pos(scanner.pos() + 1);
    }
  }
  front.report.relaxed.push_back(scanner.Place(pos) + ": " + option);
  return {};
}

GrammarError UnknownOption(const Scanner& scanner, std::size_t pos, const std::string& option) {
  const std::string near = NearestName(option, kBounds);
  return scanner.Invalid(pos, "there is no rule option \"" + option + "\"" +
                                  (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
}

// A repetition of one kind of thing, of which a bound counts the rounds.
template <class Item>
const node::Repeat* RepeatOf(const Grammar& grammar, ExprId body) {
  const auto* repeat = std::get_if<node::Repeat>(&grammar.expr(body));
  return repeat != nullptr && std::holds_alternative<Item>(grammar.expr(repeat->item)) ? repeat
                                                                                       : nullptr;
}

ExprId WithRounds(Grammar& grammar, const node::Repeat& repeat, std::int64_t most) {
  if (repeat.max != kUnbounded) most = std::min(most, repeat.max);
  most = std::max(most, repeat.min);
  return most == 0 ? grammar.Empty() : grammar.Repeat(repeat.item, repeat.min, most);
}

// The bodies that need no automaton; nullopt for others.
std::optional<ExprId> BoundedRepeat(Grammar& grammar, ExprId body, const TextBounds& bounds) {
  if (bounds.chars && !bounds.tokens) {
    if (const node::Repeat* repeat = RepeatOf<node::Chars>(grammar, body)) {
      return WithRounds(grammar, node::Repeat(*repeat), *bounds.chars);
    }
  }
  if (bounds.tokens && !bounds.chars) {
    if (const node::Repeat* repeat = RepeatOf<node::Tokens>(grammar, body)) {
      return WithRounds(grammar, node::Repeat(*repeat), *bounds.tokens);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<void, GrammarError> RuleBounds::Take(Scanner& scanner, const FrontEnd& front, RuleId rule) {
  scanner.Take("[");
  scanner.SkipBlanks();
  Bound bound{.pos = scanner.pos()};
  while (true) {
    SGLRUN_RETURN_IF_ERROR(TakeOption(scanner, front, bound));
    scanner.SkipBlanks();
    if (scanner.Take("]")) break;
    if (!scanner.Take(",")) {
      return scanner.Invalid(scanner.pos(),
                             "\",\" or \"]\" is expected, found " + scanner.Shown(scanner.pos()));
    }
    scanner.SkipBlanks();
  }
  if (bound.bounds.chars || bound.bounds.tokens) rules_[rule] = bound;
  return {};
}

Result<void, GrammarError> RuleBounds::TakeOption(Scanner& scanner, const FrontEnd& front,
                                                  Bound& bound) {
  const std::size_t start = scanner.pos();
  const std::string option(scanner.TakeName());
  if (option.empty()) {
    return scanner.Invalid(start, "a rule option is expected, found " + scanner.Shown(start));
  }
  if (std::ranges::find(kOthers, option) != kOthers.end()) {
    return PassOver(scanner, front, start, option);
  }
  if (std::ranges::find(kBounds, option) == kBounds.end()) {
    return UnknownOption(scanner, start, option);
  }
  std::optional<std::int64_t>& value =
      option == kMaxChars ? bound.bounds.chars : bound.bounds.tokens;
  if (value) return scanner.Invalid(start, "the rule option \"" + option + "\" is given twice");
  scanner.SkipBlanks();
  const bool has_value = scanner.Take("=");
  scanner.SkipBlanks();
  const std::size_t digits = scanner.pos();
  value = scanner.TakeNumber();
  const std::int64_t most = front.budget.limits().repetition;
  if (has_value && (value ? *value > most : scanner.pos() > digits)) {
    return scanner.ErrorAt(start, Verdict::kTooLarge,
                           option + " may be at most " + std::to_string(most));
  }
  if (!has_value || !value) {
    return scanner.Invalid(start, "a rule option is written " + option + "=N");
  }
  return {};
}

Result<void, GrammarError> RuleBounds::Apply(FrontEnd& front, const Scanner& scanner) {
  for (auto& [rule, bound] : rules_) {
    depth_ = 0;
    const auto applied = ApplyTo(front, rule);
    if (applied.ok()) continue;
    const bool unsupported = applied.error().verdict == Verdict::kUnsupported;
    if (unsupported && front.options.relax_unsupported) {
      bound.stage = Bound::Stage::kDone;  // as if it had no bounds
      front.report.relaxed.push_back(scanner.Place(bound.pos) + ": the bounds of \"" +
                                     front.grammar.rule(rule).name + "\"");
    } else {
      return scanner.ErrorAt(bound.pos, applied.error().verdict,
                             "the texts of \"" + front.grammar.rule(rule).name +
                                 "\" cannot be bounded: " + applied.error().message);
    }
  }
  return {};
}

// Rules that this rule uses come first, so that their bounds apply inside it too.
Result<void, GrammarError> RuleBounds::ApplyTo(FrontEnd& front, RuleId rule) {
  constexpr int kDeepest = 8;  // each recurses as deep as RegularLanguage may
  const auto found = rules_.find(rule);
  if (found == rules_.end() || found->second.stage == Bound::Stage::kDone) return {};
  Bound& bound = found->second;
  if (bound.stage == Bound::Stage::kUnderWay) {
    return GrammarError{Verdict::kUnsupported,
                        "the rule \"" + front.grammar.rule(rule).name + "\" calls itself"};
  }
  if (depth_ >= kDeepest) {
    return GrammarError{Verdict::kTooLarge, "bounded rules are nested too deep"};
  }
  bound.stage = Bound::Stage::kUnderWay;
  const ExprId body = front.grammar.rule(rule).body;
  std::optional<ExprId> bounded = BoundedRepeat(front.grammar, body, bound.bounds);
  if (!bounded) {
    ++depth_;
    const auto before_call = [&](RuleId callee) { return ApplyTo(front, callee); };
    SGLRUN_ASSIGN_OR_RETURN(const Dfa language, RegularLanguage(front, body, before_call));
    --depth_;
    SGLRUN_ASSIGN_OR_RETURN(bounded, BoundedText(front, language, bound.bounds));
  }
  front.grammar.Define(rule, *bounded);
  bound.stage = Bound::Stage::kDone;
  return {};
}

}  // namespace sglrun::grammar::ebnf
