// Whether one value satisfies a formula. It filters the values of enum and const by the other
// keywords. The recursion is bounded by the depth of the value and of the formulas that apply to
// it.
#include <algorithm>
#include <utility>

#include "grammar/base/json_text.h"
#include "grammar/json_schema/array_plan.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {
namespace {

using TruthResult = Result<Truth, GrammarError>;

Truth TruthFrom(bool holds) {
  return holds ? Truth::kYes : Truth::kNo;
}

Truth Not(Truth truth) {
  if (truth == Truth::kDoubtful) return truth;
  return TruthFrom(truth == Truth::kNo);
}

// A count between `sure` and `possible`.
Truth Within(std::int64_t sure, std::int64_t possible, std::int64_t min,
             const std::optional<std::int64_t>& max) {
  if (possible < min || (max && sure > *max)) return Truth::kNo;
  return sure >= min && (!max || possible <= *max) ? Truth::kYes : Truth::kDoubtful;
}
Truth Within(std::size_t count, std::int64_t min, const std::optional<std::int64_t>& max) {
  const auto exact = static_cast<std::int64_t>(count);
  return Within(exact, exact, min, max);
}

}  // namespace

TruthResult NormalForm::TruthOf(const Json& value, FormulaId formula) {
  const Kind kind = KindOf(value);
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId simple, Simplify(formula, kind));
  return TruthOfSimplified(value, kind, simple);
}

TruthResult NormalForm::TruthOfSimplified(const Json& value, Kind kind, FormulaId id) {
  if (id <= kTrue) return TruthFrom(id == kTrue);
  // Schemas that check every member twice would check nested members exponentially often.
  constexpr std::int64_t kSteps = 20;
  SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("judging the values of enum and const", kSteps));
  const Formula& f = formulas_[id];
  if (const auto* all = std::get_if<formula::And>(&f)) {
    Truth least = Truth::kYes;
    for (const FormulaId part : all->parts) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth truth, TruthOfSimplified(value, kind, part));
      least = std::min(least, truth);
      if (least == Truth::kNo) break;
    }
    return least;
  }
  if (const auto* any = std::get_if<formula::Or>(&f)) {
    Truth greatest = Truth::kNo;
    for (const FormulaId part : any->parts) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth truth, TruthOfSimplified(value, kind, part));
      greatest = std::max(greatest, truth);
      if (greatest == Truth::kYes) break;
    }
    return greatest;
  }
  if (const auto* exclude = std::get_if<formula::Exclude>(&f)) {
    under_not_ = !under_not_;
    const TruthResult truth = TruthOfSimplified(value, kind, exclude->inner);
    under_not_ = !under_not_;
    return truth.ok() ? TruthResult(Not(*truth)) : truth;
  }
  if (std::holds_alternative<formula::Values>(f)) {
    return TruthFrom(KeysOfValues(id).count(EqualityKey(value)) != 0);
  }
  // A constraint that was dropped under relax is true, and so is its negation.
  const Truth given_up = TruthFrom(!under_not_);
  if (const auto* unenforceable = std::get_if<formula::Unenforceable>(&f)) {
    if (front_.options.relax_unsupported) {
      // Proofs ask more than is needed in the end.
      const bool proving = reading_ == Reading::kSome || !proving_.empty();
      const bool under_not = unenforceable->under_not != under_not_;
      if (!proving) Relax(unenforceable->place, unenforceable->keyword, under_not);
      return given_up;
    }
    return document_.ErrorAt(unenforceable->place, unenforceable->keyword, Verdict::kUnsupported,
                             unenforceable->reason);
  }
  if (dropped_.count(id) != 0) return given_up;
  switch (kind) {
    case Kind::kNumber: {
      const auto decimal = DecimalOf(value);
      return TruthFrom(decimal.ok() &&
                       Satisfies(*decimal, std::get<formula::Number>(f).constraints));
    }
    case Kind::kString:
      return TruthOfText(value, id);
    case Kind::kArray:
      return TruthOfArray(value, id);
    default:
      return TruthOfObject(value, id);
  }
}

TruthResult NormalForm::TruthOfText(const Json& value, FormulaId id) {
  SGLRUN_ASSIGN_OR_RETURN(const bool surely, TestText(value, id, Reading::kEvery));
  if (surely) return Truth::kYes;
  if (dropped_.count(id) != 0) return TruthFrom(!under_not_);
  SGLRUN_ASSIGN_OR_RETURN(const bool perhaps, TestText(value, id, Reading::kSome));
  return perhaps ? Truth::kDoubtful : Truth::kNo;
}

// False also where the constraint has just been given up.
Result<bool, GrammarError> NormalForm::TestText(const Json& value, FormulaId id, Reading reading) {
  auto& tests = string_tests_[reading == Reading::kSome ? 1 : 0];
  auto test = tests.find(id);
  if (test == tests.end()) {
    const auto& text = std::get<formula::Text>(formulas_[id]);
    auto created = StringTest::Create(text.constraints, patterns_, front_.budget, reading);
    const bool unsupported = !created.ok() && created.error().verdict == Verdict::kUnsupported;
    if (unsupported && front_.options.relax_unsupported) {
      Relax(text.place, text.keyword, text.under_not != under_not_);
      dropped_.insert(id);
      return false;
    }
    if (!created.ok()) {
      return document_.ErrorAt(text.place, text.keyword, created.error().verdict,
                               "cannot be used: " + created.error().message);
    }
    test = tests.emplace(id, std::move(created).value()).first;
  }
  return test->second.Accepts(value.as_string());
}

TruthResult NormalForm::TruthOfObject(const Json& value, FormulaId id) {
  const Formula& f = formulas_[id];
  const Json::Object& members = value.as_object();
  const auto has_all = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return value.Find(name) != nullptr; });
  };
  if (const auto* required = std::get_if<formula::Required>(&f)) {
    return TruthFrom(has_all(required->names));
  }
  if (const auto* dependent = std::get_if<formula::DependentRequired>(&f)) {
    return TruthFrom(value.Find(dependent->name) == nullptr || has_all(dependent->names));
  }
  if (const auto* count = std::get_if<formula::PropertyCount>(&f)) {
    return Within(members.size(), count->min, count->max);
  }
  if (const auto* some = std::get_if<formula::SomeProperty>(&f)) {
    Truth greatest = Truth::kNo;
    for (const auto& [name, member] : members) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth matches, KeyMatches(some->keys, name));
      if (matches <= greatest) continue;
      SGLRUN_ASSIGN_OR_RETURN(const Truth holds, TruthOf(member, some->value));
      greatest = std::max(greatest, std::min(matches, holds));
    }
    return greatest;
  }
  Truth least = Truth::kYes;
  for (const auto& [name, member] : members) {
    Truth truth = Truth::kYes;
    if (const auto* names = std::get_if<formula::PropertyNames>(&f)) {
      SGLRUN_ASSIGN_OR_RETURN(truth, KeyMatches(names->keys, name));
    } else if (const auto* properties = std::get_if<formula::Properties>(&f)) {
      SGLRUN_ASSIGN_OR_RETURN(const Asked asked, AskedOf(*properties, name));
      SGLRUN_ASSIGN_OR_RETURN(truth, TruthOfAsked(member, asked.surely, asked.perhaps));
    } else {
      const auto& unevaluated = std::get<formula::UnevaluatedProperties>(f);
      SGLRUN_ASSIGN_OR_RETURN(const Truth evaluated, IsEvaluated(unevaluated.evaluating, name));
      SGLRUN_ASSIGN_OR_RETURN(
          truth, TruthOfAsked(member, evaluated == Truth::kNo ? unevaluated.value : kTrue,
                              evaluated == Truth::kYes ? kTrue : unevaluated.value));
    }
    least = std::min(least, truth);
    if (least == Truth::kNo) break;
  }
  return least;
}

TruthResult NormalForm::TruthOfAsked(const Json& value, FormulaId surely, FormulaId perhaps) {
  SGLRUN_ASSIGN_OR_RETURN(const Truth truth, TruthOf(value, surely));
  if (perhaps == surely || truth == Truth::kNo) return truth;
  SGLRUN_ASSIGN_OR_RETURN(const Truth more, TruthOf(value, perhaps));
  return more == Truth::kYes ? truth : Truth::kDoubtful;
}

Result<NormalForm::Asked, GrammarError> NormalForm::AskedOf(const formula::Properties& properties,
                                                            const std::string& name) {
  std::vector<FormulaId> surely, perhaps;
  Truth spoken_of = Truth::kNo;
  const auto ask = [&](FormulaId value, Truth truth) {
    if (truth == Truth::kYes) surely.push_back(value);
    if (truth != Truth::kNo) perhaps.push_back(value);
    spoken_of = std::max(spoken_of, truth);
  };
  for (const auto& named : properties.named) {
    if (named.name == name) ask(named.value, Truth::kYes);
  }
  for (const auto& pattern : properties.patterns) {
    SGLRUN_ASSIGN_OR_RETURN(const Truth matches, KeyMatches(pattern.keys, name));
    if (IsDropped(pattern.keys)) {  // may match, and asks nothing
      spoken_of = Truth::kYes;
    } else {
      ask(pattern.value, matches);
    }
  }
  if (properties.others) ask(*properties.others, Not(spoken_of));
  return Asked{formulas_.And(std::move(surely)), formulas_.And(std::move(perhaps)), spoken_of};
}

TruthResult NormalForm::IsEvaluated(const std::vector<FormulaId>& evaluating,
                                    const std::string& name) {
  Truth greatest = Truth::kNo;
  for (const FormulaId id : evaluating) {
    const auto* properties = formulas_.As<formula::Properties>(id);
    if (properties == nullptr || properties->others) return Truth::kYes;
    SGLRUN_ASSIGN_OR_RETURN(const Asked asked, AskedOf(*properties, name));
    greatest = std::max(greatest, asked.spoken_of);
  }
  return greatest;
}

TruthResult NormalForm::TruthOfArray(const Json& value, FormulaId id) {
  const Formula& f = formulas_[id];
  const Json::Array& items = value.as_array();
  const auto count = static_cast<std::int64_t>(items.size());
  if (const auto* bounds = std::get_if<formula::ItemCount>(&f)) {
    return Within(items.size(), bounds->min, bounds->max);
  }
  if (std::holds_alternative<formula::UniqueItems>(f)) {
    std::unordered_set<std::string> keys;
    for (const Json& item : items) keys.insert(EqualityKey(item));
    return TruthFrom(keys.size() == items.size());
  }
  if (const auto* contains = std::get_if<formula::Contains>(&f)) {
    std::int64_t sure = 0, possible = 0;
    for (std::int64_t i = contains->from; i < count; ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth holds,
                              TruthOf(items[static_cast<std::size_t>(i)], contains->item));
      sure += holds == Truth::kYes ? 1 : 0;
      possible += holds != Truth::kNo ? 1 : 0;
    }
    return Within(sure, possible, contains->min, contains->max);
  }
  // Items and UnevaluatedItems apply to one item at a time, as in the plan of the array.
  const ArrayPlan plan = PlanArray(*this, {{id}, {}});
  if (plan.max && count > *plan.max) return Truth::kNo;
  Truth least = Truth::kYes;
  for (std::int64_t i = 0; i < count && least != Truth::kNo; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(const Truth holds,
                            TruthOf(items[static_cast<std::size_t>(i)], plan.ItemAt(i)));
    least = std::min(least, holds);
  }
  return least;
}

}  // namespace sglrun::grammar
