#include "grammar/json_schema/styled_spelling.h"

#include <algorithm>
#include <utility>

#include "grammar/ir/counted_text.h"
#include "grammar/ir/dispatch.h"
#include "grammar/json_schema/string_language.h"

namespace sglrun::grammar {
namespace {

const CharSet& Blanks() {
  static const CharSet blanks{{' ', ' '}, {'\t', '\n'}};
  return blanks;
}

GrammarError NotOffered(const std::string& what) {
  return {Verdict::kUnsupported, what + " not offered in this style"};
}

// The texts in which a word occurs.
DfaResult TextsWith(const std::vector<std::string>& words, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(const Dfa begin, Concatenate(AnyText(), Words(words), budget));
  return Concatenate(begin, AnyText(), budget);
}

}  // namespace

StyledSpelling::StyledSpelling(ValueRules& rules, StyledText text)
    : rules_(rules), front_(rules.front()), grammar_(rules.grammar()), text_(std::move(text)) {
  const std::vector<std::string>& excluded = rules.excluded().texts();
  text_.barred.insert(text_.barred.end(), excluded.begin(), excluded.end());
}

ExprResult StyledSpelling::Whole(FormulaId formula) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId whole, Root(formula));
  for (; !tasks_.empty(); tasks_.pop_front()) {
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("writing rules"));
    const Task task = tasks_.front();
    SGLRUN_ASSIGN_OR_RETURN(const ExprId body, Containers(task.formula, task.kind));
    grammar_.Define(task.rule, body);
  }
  return whole;
}

ExprResult StyledSpelling::Root(FormulaId formula) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId whole, Containers(formula, Kind::kObject));
  if (whole != grammar_.Never()) return whole;
  return GrammarError{Verdict::kUnsatisfiable, "parameters are an object, which is not allowed"};
}

ExprResult StyledSpelling::InJson(FormulaId formula, KindSet kinds) {
  return rules_.OfKinds(formula, kinds);
}

ExprResult StyledSpelling::InJsonWithGaps(FormulaId formula, KindSet kinds) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId values, InJson(formula, kinds));
  if (values == grammar_.Never()) return values;
  return grammar_.Sequence({Gap(), values, Gap()});
}

ExprResult StyledSpelling::Container(FormulaId formula, Kind kind) {
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId simple, rules_.normal_form().Simplify(formula, kind));
  if (simple == kFalse) return grammar_.Never();
  const auto known = containers_.find({formula, kind});
  if (known != containers_.end()) return known->second;
  const RuleId rule = grammar_.AddRule(kind == Kind::kArray ? "list" : "members");
  tasks_.push_back({formula, kind, rule});
  return containers_[{formula, kind}] = grammar_.Call(rule);
}

ExprResult StyledSpelling::Containers(FormulaId formula, Kind kind) {
  NormalForm& normal_form = rules_.normal_form();
  SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives,
                          normal_form.Alternatives(formula, kind));
  std::vector<ExprId> choices;
  for (Alternative alternative : *alternatives) {
    SGLRUN_RETURN_IF_ERROR(normal_form.Settle(alternative, kind));
    if (std::ranges::find(alternative.constraints, kFalse) != alternative.constraints.end()) {
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto survivors, normal_form.Survivors(alternative, kind));
    if (survivors && survivors->empty()) continue;
    if (survivors) return NotOffered("enum and const of whole objects and arrays are");
    SGLRUN_ASSIGN_OR_RETURN(const ExprId one, kind == Kind::kArray
                                                  ? Array(alternative)
                                                  : AppendObject(rules_, alternative, *this));
    if (one != grammar_.Never()) choices.push_back(one);
  }
  return choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
}

// State i of the network: i items of the prefix are written; then the end.
ExprResult StyledSpelling::Array(const Alternative& alternative) {
  const ArrayPlan plan = PlanArray(rules_.normal_form(), alternative);
  if (plan.max && *plan.max < plan.min) return grammar_.Never();
  if (!plan.contains.empty()) return NotOffered("contains is");
  if (plan.unique != nullptr && !(plan.max && *plan.max <= 1)) return NotOffered("uniqueItems is");
  const auto prefix = static_cast<std::int32_t>(plan.prefix.size());
  Network net;
  net.states = prefix + 2;
  net.accepting.push_back(prefix + 1);
  for (std::int32_t i = 0; i < prefix; ++i) {
    if (i >= plan.min) net.exprs.push_back({i, prefix + 1, CloseList(i > 0)});
    SGLRUN_ASSIGN_OR_RETURN(const ExprId item, Item(plan.prefix[static_cast<std::size_t>(i)]));
    net.exprs.push_back({i, i + 1, grammar_.Sequence({BeforeItem(i == 0), item})});
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId rest, Rest(plan));
  net.exprs.push_back({prefix, prefix + 1, rest});
  return grammar_.Sequence({OpenList(), grammar_.Net(std::move(net))});
}

// What follows the prefix, with the end of the list.
ExprResult StyledSpelling::Rest(const ArrayPlan& plan) {
  const auto written = static_cast<std::int64_t>(plan.prefix.size());
  const std::int64_t min = std::max<std::int64_t>(plan.min - written, 0);
  const bool first = written == 0;
  std::vector<ExprId> choices;
  if (min == 0) choices.push_back(CloseList(!first));
  if (plan.rest != kFalse && !(plan.max && *plan.max <= written)) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId item, Item(plan.rest));
    const ExprId more = grammar_.Repeat(grammar_.Sequence({BeforeItem(false), item}),
                                        std::max<std::int64_t>(min - 1, 0),
                                        plan.max ? *plan.max - written - 1 : kUnbounded);
    choices.push_back(grammar_.Sequence({BeforeItem(first), item, more, CloseList(true)}));
  }
  return choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
}

ExprResult StyledSpelling::Identifiers(const KeyCell& cell, const ObjectPlan& plan) {
  const CharSet first{{'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  const CharSet more{{'-', '.'}, {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  Budget& budget = front_.budget;
  SGLRUN_ASSIGN_OR_RETURN(const Dfa tail, Repeat(OneOf(more), 0, std::nullopt, budget));
  SGLRUN_ASSIGN_OR_RETURN(Dfa keys, Concatenate(OneOf(first), tail, budget));
  if (cell.keys != nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(keys, Intersect(keys, *cell.keys, budget));
  } else {
    std::vector<std::string> names;
    for (const ObjectPlan::Key& key : plan.keys) names.push_back(key.name);
    SGLRUN_ASSIGN_OR_RETURN(keys, Subtract(keys, Words(names), budget));
  }
  if (!rules_.excluded().none()) {
    SGLRUN_ASSIGN_OR_RETURN(const Dfa bad, TextsWith(rules_.excluded().texts(), budget));
    SGLRUN_ASSIGN_OR_RETURN(keys, Subtract(keys, bad, budget));
  }
  if (IsEmpty(keys)) return grammar_.Never();
  SGLRUN_ASSIGN_OR_RETURN(Dfa bytes, ToUtf8(keys, budget));
  return grammar_.Regular(std::move(bytes));
}

ExprId StyledSpelling::Name(const std::string& begin, const std::string& name,
                            const std::string& end) {
  return rules_.excluded().AreIn(name) ? grammar_.Never() : grammar_.Bytes(begin + name + end);
}

Result<void, GrammarError> StyledSpelling::CheckName(const std::string& name,
                                                     std::string_view barred) const {
  const bool fits = !name.empty() && name.find_first_of(barred) == std::string::npos &&
                    name.find_first_of("\n\t\r") == std::string::npos && name.front() != ' ' &&
                    name.back() != ' ';
  if (fits) return {};
  return GrammarError{Verdict::kUnsupported,
                      "the property \"" + name + "\" cannot be named in this style"};
}

ExprResult StyledSpelling::Strings(FormulaId formula) {
  const auto known = strings_.find(formula);
  if (known != strings_.end()) return known->second;
  SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives,
                          rules_.normal_form().Alternatives(formula, Kind::kString));
  std::vector<ExprId> choices;
  for (const Alternative& alternative : *alternatives) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, String(alternative));
    if (text != grammar_.Never()) choices.push_back(text);
  }
  return strings_[formula] =
             choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
}

ExprResult StyledSpelling::String(Alternative alternative) {
  NormalForm& normal_form = rules_.normal_form();
  SGLRUN_RETURN_IF_ERROR(normal_form.Settle(alternative, Kind::kString));
  if (std::ranges::find(alternative.constraints, kFalse) != alternative.constraints.end()) {
    return grammar_.Never();
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto survivors, normal_form.Survivors(alternative, Kind::kString));
  if (survivors) return Listed(*survivors);
  while (true) {
    const StringConstraints constraints = normal_form.StringsOf(alternative);
    if (constraints == StringConstraints{}) return AnyString();
    auto text = Bounded(constraints);
    if (text.ok()) return text;
    SGLRUN_ASSIGN_OR_RETURN(const bool again, normal_form.Blame(alternative, text.error()));
    if (!again) return text;
  }
}

// None of the barred texts begins with its own end, so that none can begin in a string and end in
// what follows it.
ExprResult StyledSpelling::AnyString() {
  TextDispatch text;
  text.excludes = text_.barred;
  return AppendTextDispatch(front_, text);
}

ExprResult StyledSpelling::Listed(const std::vector<const Json*>& values) {
  std::vector<ExprId> texts;
  for (const Json* value : values) {
    const std::string& text = value->as_string();
    const bool barred = std::ranges::any_of(
        text_.barred, [&](const auto& word) { return text.find(word) != std::string::npos; });
    if (!barred) texts.push_back(grammar_.Bytes(text));
  }
  if (texts.empty()) return grammar_.Never();
  return Wrapped(grammar_.Choice(std::move(texts)));
}

ExprResult StyledSpelling::Bounded(const StringConstraints& constraints) {
  Budget& budget = front_.budget;
  PatternLanguages patterns;
  SGLRUN_ASSIGN_OR_RETURN(StringTexts texts, StringTextsOf(constraints, patterns, budget));
  Dfa& values = texts.chars;
  SGLRUN_ASSIGN_OR_RETURN(const Dfa bad, TextsWith(text_.barred, budget));
  SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, bad, budget));
  if (text_.trimmed) {
    SGLRUN_ASSIGN_OR_RETURN(const Dfa begins, Concatenate(OneOf(Blanks()), AnyText(), budget));
    SGLRUN_ASSIGN_OR_RETURN(const Dfa ends, Concatenate(AnyText(), OneOf(Blanks()), budget));
    SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, begins, budget));
    SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, ends, budget));
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId text,
                          AppendCounted(front_, values, texts.lengths, TextSpelling::kUtf8));
  return text == grammar_.Never() ? text : Wrapped(text);
}

ExprId StyledSpelling::Wrapped(ExprId text) {
  if (!text_.line_breaks) return text;
  const ExprId line_break = grammar_.Optional(grammar_.Bytes("\n"));
  return grammar_.Sequence({line_break, text, line_break});
}

}  // namespace sglrun::grammar
