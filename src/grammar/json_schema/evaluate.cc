// Whether one value satisfies a formula: what keeps a value of enum or const beside its siblings.
// Recursion is as deep as the value and what applies in place, both bounded.
#include <algorithm>
#include <utility>

#include "grammar/json_schema/array_plan.h"
#include "grammar/json_schema/json_text.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {
namespace {

using BoolResult = Result<bool, GrammarError>;

bool Within(std::int64_t count, std::int64_t min, const std::optional<std::int64_t>& max) {
  return count >= min && (!max || count <= *max);
}

}  // namespace

BoolResult NormalForm::Holds(const Json& value, FormulaId formula) {
  const Kind kind = KindOf(value);
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId simple, Simplify(formula, kind));
  return HoldsSimplified(value, kind, simple);
}

BoolResult NormalForm::HoldsSimplified(const Json& value, Kind kind, FormulaId id) {
  if (id <= kTrue) return id == kTrue;
  const Formula& f = formulas_[id];
  if (const auto* all = std::get_if<formula::And>(&f)) {
    for (const FormulaId part : all->parts) {
      SGLRUN_ASSIGN_OR_RETURN(const bool holds, HoldsSimplified(value, kind, part));
      if (!holds) return false;
    }
    return true;
  }
  if (const auto* any = std::get_if<formula::Or>(&f)) {
    for (const FormulaId part : any->parts) {
      SGLRUN_ASSIGN_OR_RETURN(const bool holds, HoldsSimplified(value, kind, part));
      if (holds) return true;
    }
    return false;
  }
  if (const auto* exclude = std::get_if<formula::Exclude>(&f)) {
    if (kind == Kind::kString) {  // a pattern and its negation both refuse what is doubtful
      SGLRUN_ASSIGN_OR_RETURN(const FormulaId negated, Negated(exclude->inner, kind));
      return HoldsSimplified(value, kind, negated);
    }
    SGLRUN_ASSIGN_OR_RETURN(const bool holds, HoldsSimplified(value, kind, exclude->inner));
    return !holds;
  }
  if (std::holds_alternative<formula::Values>(f)) {
    return KeysOfValues(id).count(EqualityKey(value)) != 0;
  }
  if (const auto* unenforceable = std::get_if<formula::Unenforceable>(&f)) {
    if (front_.options.relax_unsupported) return true;
    return document_.ErrorAt(unenforceable->place, unenforceable->keyword, Verdict::kUnsupported,
                             unenforceable->reason);
  }
  if (dropped_.count(id) != 0) return true;
  switch (kind) {
    case Kind::kNumber: {
      const auto decimal = DecimalOf(value);
      return decimal.ok() && Satisfies(*decimal, std::get<formula::Number>(f).constraints);
    }
    case Kind::kString:
      return HoldsText(value, id);
    case Kind::kArray:
      return HoldsArray(value, id);
    default:
      return HoldsObject(value, id);
  }
}

BoolResult NormalForm::HoldsText(const Json& value, FormulaId id) {
  auto test = string_tests_.find(id);
  if (test == string_tests_.end()) {
    const auto& text = std::get<formula::Text>(formulas_[id]);
    auto created = StringTest::Create(text.constraints, front_.budget);
    const bool unsupported = !created.ok() && created.error().verdict == Verdict::kUnsupported;
    if (unsupported && front_.options.relax_unsupported) {
      Relax(text.place, text.keyword);
      dropped_.insert(id);
      return true;
    }
    if (!created.ok()) {
      return document_.ErrorAt(text.place, text.keyword, created.error().verdict,
                               "cannot be used: " + created.error().message);
    }
    test = string_tests_.emplace(id, std::move(created).value()).first;
  }
  return test->second.Accepts(value.as_string());
}

BoolResult NormalForm::HoldsObject(const Json& value, FormulaId id) {
  const Formula& f = formulas_[id];
  const Json::Object& members = value.as_object();
  const auto has_all = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return value.Find(name) != nullptr; });
  };
  if (const auto* required = std::get_if<formula::Required>(&f)) return has_all(required->names);
  if (const auto* dependent = std::get_if<formula::DependentRequired>(&f)) {
    return value.Find(dependent->name) == nullptr || has_all(dependent->names);
  }
  if (const auto* count = std::get_if<formula::PropertyCount>(&f)) {
    return Within(static_cast<std::int64_t>(members.size()), count->min, count->max);
  }
  if (const auto* names = std::get_if<formula::PropertyNames>(&f)) {
    for (const auto& [name, member] : members) {
      SGLRUN_ASSIGN_OR_RETURN(const bool matches, KeyMatches(names->keys, name));
      if (!matches) return false;
    }
    return true;
  }
  if (const auto* some = std::get_if<formula::SomeProperty>(&f)) {
    for (const auto& [name, member] : members) {
      SGLRUN_ASSIGN_OR_RETURN(const bool matches, KeyMatches(some->keys, name));
      if (!matches) continue;
      SGLRUN_ASSIGN_OR_RETURN(const bool holds, Holds(member, some->value));
      if (holds) return true;
    }
    return false;
  }
  for (const auto& [name, member] : members) {
    FormulaId asked = kTrue;
    if (const auto* properties = std::get_if<formula::Properties>(&f)) {
      SGLRUN_ASSIGN_OR_RETURN(asked, AskedOf(*properties, name, nullptr));
    } else {
      const auto& unevaluated = std::get<formula::UnevaluatedProperties>(f);
      SGLRUN_ASSIGN_OR_RETURN(const bool evaluated, HoldsEvaluated(unevaluated.evaluating, name));
      if (!evaluated) asked = unevaluated.value;
    }
    SGLRUN_ASSIGN_OR_RETURN(const bool holds, Holds(member, asked));
    if (!holds) return false;
  }
  return true;
}

FormulaResult NormalForm::AskedOf(const formula::Properties& properties, const std::string& name,
                                  bool* spoken_of) {
  std::vector<FormulaId> parts;
  bool any = false;
  for (const auto& named : properties.named) {
    if (named.name != name) continue;
    parts.push_back(named.value);
    any = true;
  }
  for (const auto& pattern : properties.patterns) {
    SGLRUN_ASSIGN_OR_RETURN(const bool matches, KeyMatches(pattern.keys, name));
    SGLRUN_ASSIGN_OR_RETURN(const bool differs, KeyMatches(formulas_.Exclude(pattern.keys), name));
    // A name that is doubtful, neither one nor the other, is asked for what both ask for.
    if (!differs) parts.push_back(pattern.value);
    any |= matches;
  }
  if (!any && properties.others) {
    parts.push_back(*properties.others);
    any = true;
  }
  if (spoken_of != nullptr) *spoken_of = any;
  return formulas_.And(std::move(parts));
}

BoolResult NormalForm::HoldsEvaluated(const std::vector<FormulaId>& evaluating,
                                      const std::string& name) {
  for (const FormulaId id : evaluating) {
    const auto* properties = formulas_.As<formula::Properties>(id);
    if (properties == nullptr) return true;
    bool spoken_of = false;
    SGLRUN_RETURN_IF_ERROR(AskedOf(*properties, name, &spoken_of));
    if (spoken_of) return true;
  }
  return false;
}

BoolResult NormalForm::HoldsArray(const Json& value, FormulaId id) {
  const Formula& f = formulas_[id];
  const Json::Array& items = value.as_array();
  const auto count = static_cast<std::int64_t>(items.size());
  if (const auto* bounds = std::get_if<formula::ItemCount>(&f)) {
    return Within(count, bounds->min, bounds->max);
  }
  if (std::holds_alternative<formula::UniqueItems>(f)) {
    std::unordered_set<std::string> keys;
    for (const Json& item : items) keys.insert(EqualityKey(item));
    return keys.size() == items.size();
  }
  if (const auto* contains = std::get_if<formula::Contains>(&f)) {
    std::int64_t found = 0;
    for (std::int64_t i = contains->from; i < count; ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const bool holds,
                              Holds(items[static_cast<std::size_t>(i)], contains->item));
      found += holds ? 1 : 0;
    }
    return Within(found, contains->min, contains->max);
  }
  // Items and UnevaluatedItems speak of one item at a time, as the plan of the array does.
  const ArrayPlan plan = PlanArray(*this, {{id}, {}});
  if (plan.max && count > *plan.max) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(const bool holds,
                            Holds(items[static_cast<std::size_t>(i)], plan.ItemAt(i)));
    if (!holds) return false;
  }
  return true;
}

const std::unordered_set<std::string>& NormalForm::KeysOfValues(FormulaId values) {
  const auto [at, is_new] = values_.try_emplace(values);
  if (is_new) {
    for (const Json* value : std::get<formula::Values>(formulas_[values]).values) {
      at->second.insert(EqualityKey(*value));
    }
  }
  return at->second;
}

Result<std::optional<std::vector<const Json*>>, GrammarError> NormalForm::Survivors(
    const Alternative& alternative, Kind kind) {
  std::optional<std::vector<const Json*>> survivors;
  FormulaId shortest = kTrue;
  for (const FormulaId id : alternative.constraints) {
    const auto* values = formulas_.As<formula::Values>(id);
    if (values == nullptr) continue;
    if (survivors && survivors->size() <= values->values.size()) continue;
    survivors = values->values;
    shortest = id;
  }
  if (!survivors) return std::optional<std::vector<const Json*>>();
  std::vector<const Json*> kept;
  for (const Json* value : *survivors) {
    bool keep = KindOf(*value) == kind;
    for (const FormulaId id : alternative.constraints) {
      if (!keep || id == shortest) continue;
      SGLRUN_ASSIGN_OR_RETURN(keep, HoldsSimplified(*value, kind, id));
    }
    for (const FormulaId id : alternative.excluded) {
      if (!keep) break;
      SGLRUN_ASSIGN_OR_RETURN(const bool holds, HoldsSimplified(*value, kind, id));
      keep = !holds;
    }
    if (keep) kept.push_back(value);
  }
  return std::optional(std::move(kept));
}

Result<std::optional<std::vector<const Json*>>, GrammarError> NormalForm::FiniteValues(
    FormulaId formula, std::size_t limit) {
  std::optional<std::vector<const Json*>> all(std::in_place);
  std::unordered_set<std::string> seen;
  for (const Kind kind : kAllKinds) {
    SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives, Alternatives(formula, kind));
    for (const Alternative& alternative : *alternatives) {
      std::vector<const Json*> values;
      if (kind <= Kind::kTrue) {
        values.push_back(kind == Kind::kNull ? &made_values_.emplace_back(nullptr)
                                             : &made_values_.emplace_back(kind == Kind::kTrue));
      } else {
        SGLRUN_ASSIGN_OR_RETURN(auto survivors, Survivors(alternative, kind));
        if (!survivors) return std::optional<std::vector<const Json*>>();
        values = std::move(*survivors);
      }
      for (const Json* value : values) {
        if (seen.insert(EqualityKey(*value)).second) all->push_back(value);
      }
      if (all->size() > limit) return std::optional<std::vector<const Json*>>();
    }
  }
  return all;
}

}  // namespace sglrun::grammar
