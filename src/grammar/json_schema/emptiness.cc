// Proofs that no value satisfies a formula or an alternative. Without a proof it counts as not
// empty, so every shortcut may only miss proofs.
#include "grammar/base/json_text.h"
#include "grammar/json_schema/array_plan.h"
#include "grammar/json_schema/normal_form.h"
#include "grammar/json_schema/object_plan.h"

namespace sglrun::grammar {
namespace {

// A limit or an unsupported construct ends the proof but does not refuse the schema: the same error
// is found again where the language is needed.
template <class T>
bool StopsProof(const Result<T, GrammarError>& result) {
  return !result.ok() && result.error().verdict != Verdict::kInvalid;
}

}  // namespace

Result<bool, GrammarError> NormalForm::IsEmpty(FormulaId formula) {
  if (formula <= kTrue) return formula == kFalse;
  const std::int64_t key = std::int64_t{formula} * 2 + (reading_ == Reading::kSome ? 1 : 0);
  const auto known = empty_.find(key);
  if (known != empty_.end()) return known->second;
  // A recursive schema that needs itself to be empty is not proven so.
  if (proving_.size() >= kDeepestProof || !proving_.insert(key).second) return false;
  bool empty = true;
  for (const Kind kind : kAllKinds) {
    auto alternatives = Alternatives(formula, kind);
    if (StopsProof(alternatives)) {
      empty = false;
      break;
    }
    if (!alternatives.ok()) {
      proving_.erase(key);
      return std::move(alternatives).error();
    }
    for (const Alternative& alternative : **alternatives) {
      const auto dead = IsDead(alternative, kind);
      if (!dead.ok()) {
        proving_.erase(key);
        return dead.error();
      }
      empty = empty && *dead;
      if (!empty) break;
    }
    if (!empty) break;
  }
  proving_.erase(key);
  // "Not empty" may rest on a proof cut short; at the outermost level it is as good as it gets.
  if (empty || proving_.empty()) empty_[key] = empty;
  return empty;
}

Result<bool, GrammarError> NormalForm::IsDead(const Alternative& alternative, Kind kind) {
  SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("proving that nothing is left"));
  if (kind <= Kind::kTrue) return false;
  const auto survivors = Survivors(alternative, kind);
  if (StopsProof(survivors)) return false;
  if (!survivors.ok()) return survivors.error();
  if (*survivors) return (*survivors)->empty();
  switch (kind) {
    case Kind::kNumber: {
      const auto numbers = NumberDfa(NumbersOf(alternative));
      return numbers.ok() && grammar::IsEmpty(**numbers);
    }
    case Kind::kString:
      return IsEmptyText(alternative);
    case Kind::kArray:
      return IsDeadArray(alternative);
    default:
      return IsDeadObject(alternative);
  }
}

bool NormalForm::IsEmptyText(const Alternative& alternative) {
  const StringConstraints strings = StringsOf(alternative);
  const bool lengths_only = strings.patterns.empty() && strings.formats.empty() &&
                            strings.not_patterns.empty() && strings.not_formats.empty() &&
                            strings.excluded.empty();
  if (lengths_only) return strings.max_length && *strings.max_length < strings.min_length;
  const auto empty = IsUnsatisfiable(strings, patterns_, front_.budget, reading_);
  return empty.ok() && *empty;
}

Result<bool, GrammarError> NormalForm::IsDeadObject(const Alternative& alternative) {
  const auto planned = PlanObject(*this, alternative, KeysWanted::kRequired);
  if (StopsProof(planned)) return false;
  if (!planned.ok()) return planned.error();
  const ObjectPlan& plan = *planned;
  std::int64_t possible = 0;
  for (const ObjectPlan::Key& key : plan.keys) {
    if (key.required && key.value == kFalse) return true;
    possible += key.value == kFalse ? 0 : 1;
  }
  if (plan.max && (plan.required > *plan.max || plan.min > *plan.max)) return true;
  if (!plan.others_possible && possible < plan.min) return true;
  for (const formula::SomeProperty* some : plan.some) {
    if (some->keys == kFalse || some->value == kFalse) return true;
    bool found = plan.others_possible;
    for (const ObjectPlan::Key& key : plan.keys) {
      if (found) break;
      if (key.value == kFalse) continue;
      SGLRUN_ASSIGN_OR_RETURN(const Truth matches, KeyMatches(some->keys, key.name));
      found = Passes(matches);
    }
    if (!found) return true;
  }
  for (const ObjectPlan::Key& key : plan.keys) {
    if (!key.required) continue;
    SGLRUN_ASSIGN_OR_RETURN(const bool empty, IsEmpty(key.value));
    if (empty) return true;
  }
  return false;
}

Result<bool, GrammarError> NormalForm::IsDeadArray(const Alternative& alternative) {
  const ArrayPlan plan = PlanArray(*this, alternative);
  if (plan.max && *plan.max < plan.min) return true;
  const std::int64_t kinds_of_item = static_cast<std::int64_t>(plan.prefix.size()) + 1;
  for (std::int64_t i = 0; i < std::min(plan.min, kinds_of_item); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(const bool empty, IsEmpty(plan.ItemAt(i)));
    if (empty) return true;
  }
  for (const formula::Contains* contains : plan.contains) {
    if (contains->max && *contains->max < contains->min) return true;
    if (contains->min == 0) continue;
    bool possible = false;
    for (std::int64_t i = 0; i < kinds_of_item && !possible; ++i) {
      const bool last = i + 1 == kinds_of_item;
      if ((i < contains->from && !last) || (plan.max && i >= *plan.max)) continue;
      SGLRUN_ASSIGN_OR_RETURN(const bool empty,
                              IsEmpty(formulas_.And({plan.ItemAt(i), contains->item})));
      possible = !empty;
    }
    if (!possible) return true;
  }
  return false;
}

}  // namespace sglrun::grammar
