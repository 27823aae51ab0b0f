#include "grammar/json_schema/value_rules.h"

#include <algorithm>
#include <utility>

#include "grammar/json_schema/styles.h"
#include "grammar/json_schema/value_spelling.h"

namespace sglrun::grammar {

ExprResult ValueRules::Whole(FormulaId formula) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId whole, Value(formula, 0));
  SGLRUN_RETURN_IF_ERROR(WriteTasks());
  return whole;
}

ExprResult ValueRules::WholeStyled(FormulaId formula, JsonStyle style) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId whole, AppendStyled(*this, formula, style));
  SGLRUN_RETURN_IF_ERROR(WriteTasks());
  return whole;
}

Result<void, GrammarError> ValueRules::WriteTasks() {
  while (!tasks_.empty()) {
    const Task task = tasks_.front();
    tasks_.pop_front();
    SGLRUN_RETURN_IF_ERROR(front().budget.Spend("writing rules"));
    place_ = task.place;
    SGLRUN_ASSIGN_OR_RETURN(const ExprId body, Body(task.formula, task.depth));
    grammar().Define(task.rule, body);
    if (grammar().node_count() > front().options.limits.nodes) {
      return GrammarError{
          Verdict::kTooLarge,
          "the schema needs more than " + std::to_string(front().options.limits.nodes) + " nodes"};
    }
  }
  return {};
}

ExprResult ValueRules::Value(FormulaId formula, int depth) {
  // Only indented layouts depend on the depth. The depth is limited, because recursive schemas are
  // not.
  constexpr int kDeepestIndent = 64;
  if (layout_.policy != WhitespacePolicy::kIndent) depth = 0;
  if (formula == kFalse || depth > kDeepestIndent) return grammar().Never();
  const auto known = values_.find({formula, depth});
  if (known != values_.end()) return known->second;
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId arrays, normal_form_.Simplify(formula, Kind::kArray));
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId objects, normal_form_.Simplify(formula, Kind::kObject));
  ExprId value = 0;
  if (arrays == kFalse && objects == kFalse) {
    SGLRUN_ASSIGN_OR_RETURN(value, Body(formula, depth));
  } else {
    const RuleId rule = grammar().AddRule(NameOf(formula));
    const auto* here = normal_form_.formulas().As<formula::AtPlace>(formula);
    tasks_.push_back({formula, depth, rule, here != nullptr ? here->place : place_});
    value = grammar().Call(rule);
  }
  values_[{formula, depth}] = value;
  return value;
}

ExprResult ValueRules::Body(FormulaId formula, int depth, KindSet kinds) {
  std::vector<ExprId> choices;
  for (const Kind kind : kAllKinds) {
    if (!Has(kinds, kind)) continue;
    SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives,
                            normal_form_.Alternatives(formula, kind));
    for (const Alternative& alternative : *alternatives) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId one, One(alternative, kind, depth));
      if (one != grammar().Never()) choices.push_back(one);
    }
  }
  return choices.empty() ? grammar().Never() : grammar().Choice(std::move(choices));
}

ExprResult ValueRules::One(Alternative alternative, Kind kind, int depth) {
  SGLRUN_RETURN_IF_ERROR(normal_form_.Settle(alternative, kind));
  for (const FormulaId id : alternative.constraints) {
    if (id == kFalse) return grammar().Never();
  }
  if (kind == Kind::kNull) return grammar().Bytes("null");
  if (kind == Kind::kFalse) return grammar().Bytes("false");
  if (kind == Kind::kTrue) return grammar().Bytes("true");
  SGLRUN_ASSIGN_OR_RETURN(const auto survivors, normal_form_.Survivors(alternative, kind));
  if (survivors) return Listed(*survivors, depth);
  if (kind == Kind::kNumber) return Number(alternative);
  if (kind == Kind::kString) return String(alternative);
  const std::pair key(alternative.constraints, depth * 2 + (kind == Kind::kArray ? 1 : 0));
  const auto known = containers_.find(key);
  if (known != containers_.end()) return known->second;
  SGLRUN_ASSIGN_OR_RETURN(const ExprId container, kind == Kind::kArray
                                                      ? AppendArray(*this, alternative, depth)
                                                      : AppendObject(*this, alternative, depth));
  containers_.emplace(key, container);
  return container;
}

ExprResult ValueRules::Listed(std::vector<const Json*> values, int depth) {
  std::erase_if(values, [&](const Json* value) { return excluded_.AreInValue(*value); });
  return AppendValues(front(), values, layout_, depth);
}

ExprResult ValueRules::Number(Alternative& alternative) {
  const auto language = normal_form_.NumberDfa(normal_form_.NumbersOf(alternative));
  if (!language.ok()) {
    SGLRUN_RETURN_IF_ERROR(normal_form_.Blame(alternative, language.error()));
    return language.error();
  }
  if (IsEmpty(**language)) return grammar().Never();
  return grammar().Regular(*language);
}

ExprResult ValueRules::String(Alternative& alternative) {
  while (true) {
    StringConstraints constraints = normal_form_.StringsOf(alternative);
    constexpr std::ptrdiff_t kFew = 64;  // those of late: all of them could be many
    const auto begin = std::ssize(strings_) > kFew ? strings_.end() - kFew : strings_.begin();
    const auto known = std::find_if(begin, strings_.end(),
                                    [&](const auto& one) { return one.first == constraints; });
    if (known != strings_.end()) return known->second;
    auto string = AppendString(front(), constraints, normal_form_.patterns());
    if (string.ok()) string = excluded_.Without(front(), *string);
    if (string.ok()) strings_.emplace_back(std::move(constraints), *string);
    if (string.ok()) return string;
    SGLRUN_ASSIGN_OR_RETURN(const bool again, normal_form_.Blame(alternative, string.error()));
    if (!again) return string;
  }
}

std::string ValueRules::NameOf(FormulaId formula) const {
  const auto* here = normal_form_.formulas().As<formula::AtPlace>(formula);
  if (here == nullptr) return "value";
  return "#" + normal_form_.document().Pointer(here->place);
}

}  // namespace sglrun::grammar
