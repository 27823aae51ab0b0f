#include "grammar/json_schema/negate.h"

#include <algorithm>
#include <utility>

#include "grammar/base/json_text.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {
namespace {

FormulaId KeysOtherThan(Formulas& formulas, const formula::Properties& properties) {
  std::vector<FormulaId> parts;
  if (!properties.named.empty()) {
    formula::Text names;
    for (const auto& named : properties.named) names.constraints.excluded.insert(named.name);
    parts.push_back(formulas.Add(std::move(names)));
  }
  for (const auto& pattern : properties.patterns) {
    parts.push_back(formulas.Exclude(pattern.keys));
  }
  return formulas.And(std::move(parts));
}

}  // namespace

FormulaId KeysNotEvaluated(Formulas& formulas, const std::vector<FormulaId>& evaluating) {
  std::vector<FormulaId> parts;
  for (const FormulaId id : evaluating) {
    const auto* properties = formulas.As<formula::Properties>(id);
    if (properties == nullptr || properties->others) return kFalse;
    parts.push_back(KeysOtherThan(formulas, *properties));
  }
  return formulas.And(std::move(parts));
}

FormulaResult NormalForm::Negated(FormulaId simplified, Kind kind) {
  if (simplified <= kTrue) return simplified == kTrue ? kFalse : kTrue;
  const std::int64_t key = std::int64_t{simplified} * 8 + static_cast<int>(kind);
  const auto known = negated_.find(key);
  if (known != negated_.end()) return known->second;
  FormulaId negated = kFalse;
  if (const auto* all = formulas_.As<formula::And>(simplified)) {
    SGLRUN_ASSIGN_OR_RETURN(negated, NegatedJoin(all->parts, kind, /*to_all=*/false));
  } else if (const auto* any = formulas_.As<formula::Or>(simplified)) {
    SGLRUN_ASSIGN_OR_RETURN(negated, NegatedJoin(any->parts, kind, /*to_all=*/true));
  } else if (const auto* exclude = formulas_.As<formula::Exclude>(simplified)) {
    negated = exclude->inner;
  } else {
    negated = std::visit(Negation(formulas_, made_values_, kind), formulas_[simplified]);
  }
  // The parts of a negation may concern other kinds (a value of enum).
  SGLRUN_ASSIGN_OR_RETURN(negated, Simplify(negated, kind));
  negated_[key] = negated;
  return negated;
}

// In place only, so as deep as the formula, which Simplify has bounded.
FormulaResult NormalForm::NegatedJoin(const std::vector<FormulaId>& parts, Kind kind, bool to_all) {
  std::vector<FormulaId> negated;
  for (const FormulaId part : parts) {
    SGLRUN_ASSIGN_OR_RETURN(negated.emplace_back(), Negated(part, kind));
  }
  return to_all ? formulas_.And(std::move(negated)) : formulas_.Or(std::move(negated));
}

FormulaId Negation::operator()(const formula::Number& number) {
  std::vector<FormulaId> choices;
  for (NumberConstraints& rest : Negate(number.constraints)) {
    choices.push_back(formulas_.Add(formula::Number{std::move(rest), number.place}));
  }
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::Text& text) {
  std::vector<FormulaId> choices;
  const auto add = [&](StringConstraints constraints) {
    choices.push_back(formulas_.Add(
        formula::Text{std::move(constraints), text.place, text.keyword, !text.under_not}));
  };
  const StringConstraints& c = text.constraints;
  if (c.min_length > 0) add({.max_length = c.min_length - 1});
  if (c.max_length) add({.min_length = *c.max_length + 1});
  for (const std::string& pattern : c.patterns) add({.not_patterns = {pattern}});
  for (const std::string& format : c.formats) add({.not_formats = {format}});
  for (const std::string& pattern : c.not_patterns) add({.patterns = {pattern}});
  for (const std::string& format : c.not_formats) add({.formats = {format}});
  formula::Values values;
  for (const std::string& value : c.excluded) values.values.push_back(&made_.emplace_back(value));
  if (!values.values.empty()) choices.push_back(formulas_.Add(std::move(values)));
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::Values& values) {
  std::vector<FormulaId> parts;
  formula::Text strings;
  formula::Number numbers;
  for (const Json* value : values.values) {
    if (KindOf(*value) != kind_) continue;
    if (kind_ == Kind::kString) {
      strings.constraints.excluded.insert(value->as_string());
    } else if (kind_ == Kind::kNumber) {
      const auto decimal = DecimalOf(*value);
      // An absurd exponent: no text we write has that value.
      if (decimal.ok()) numbers.constraints.excluded.insert(*decimal);
    } else {
      parts.push_back(OtherThan(*value));
    }
  }
  if (!strings.constraints.excluded.empty()) parts.push_back(formulas_.Add(std::move(strings)));
  if (!numbers.constraints.excluded.empty()) parts.push_back(formulas_.Add(std::move(numbers)));
  return formulas_.And(std::move(parts));
}

// Arrays and objects other than this one.
FormulaId Negation::OtherThan(const Json& value) {
  std::vector<FormulaId> choices;
  const auto different = [&](const Json& part) {
    return formulas_.Exclude(formulas_.Add(formula::Values{{&part}}));
  };
  if (value.is_array()) {
    const auto count = static_cast<std::int64_t>(value.as_array().size());
    if (count > 0) choices.push_back(formulas_.Add(formula::ItemCount{0, count - 1}));
    choices.push_back(ItemsAtLeast(count + 1));
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      choices.push_back(WithItem(i, different(value.as_array()[i])));
    }
    return formulas_.Or(std::move(choices));
  }
  for (const auto& [name, part] : value.as_object()) {
    choices.push_back(WithoutProperty(formulas_, name));
    choices.push_back(WithProperty(name, different(part)));
  }
  formula::Text others;
  for (const auto& [name, part] : value.as_object()) others.constraints.excluded.insert(name);
  const FormulaId keys =
      others.constraints.excluded.empty() ? kTrue : formulas_.Add(std::move(others));
  choices.push_back(formulas_.Add(formula::SomeProperty{keys, kTrue}));
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::Present(const std::string& name) {
  return formulas_.Add(formula::Required{{name}, /*anywhere=*/true});
}

FormulaId Negation::WithProperty(const std::string& name, FormulaId value) {
  if (value == kFalse) return kFalse;
  formula::Properties properties;
  properties.named.push_back({name, value});
  return formulas_.And({Present(name), formulas_.Add(std::move(properties))});
}

FormulaId Negation::WithoutSomeOf(const std::vector<std::string>& names) {
  std::vector<FormulaId> choices;
  for (const std::string& name : names) choices.push_back(WithoutProperty(formulas_, name));
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::Properties& properties) {
  std::vector<FormulaId> choices;
  for (const auto& named : properties.named) {
    choices.push_back(WithProperty(named.name, formulas_.Exclude(named.value)));
  }
  const auto some = [&](FormulaId keys, FormulaId value) {
    if (keys == kFalse || value == kFalse) return;
    choices.push_back(formulas_.Add(formula::SomeProperty{keys, value}));
  };
  for (const auto& pattern : properties.patterns) {
    some(pattern.keys, formulas_.Exclude(pattern.value));
  }
  if (properties.others) {
    some(KeysOtherThan(formulas_, properties), formulas_.Exclude(*properties.others));
  }
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::Required& required) {
  return WithoutSomeOf(required.names);
}

FormulaId Negation::operator()(const formula::PropertyNames& names) {
  return formulas_.Add(formula::SomeProperty{formulas_.Exclude(names.keys), kTrue});
}

FormulaId Negation::operator()(const formula::PropertyCount& count) {
  std::vector<FormulaId> choices;
  if (count.min > 0) choices.push_back(formulas_.Add(formula::PropertyCount{0, count.min - 1}));
  if (count.max) {
    choices.push_back(formulas_.Add(formula::PropertyCount{
        .min = *count.max + 1, .place = count.place, .keyword = "maxProperties"}));
  }
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::DependentRequired& dependency) {
  return formulas_.And({Present(dependency.name), WithoutSomeOf(dependency.names)});
}

FormulaId Negation::operator()(const formula::SomeProperty& some) {
  formula::Properties properties;
  properties.patterns.push_back({some.keys, formulas_.Exclude(some.value)});
  return formulas_.Add(std::move(properties));
}

FormulaId Negation::operator()(const formula::UnevaluatedProperties& unevaluated) {
  const FormulaId keys = KeysNotEvaluated(formulas_, unevaluated.evaluating);
  const FormulaId value = formulas_.Exclude(unevaluated.value);
  if (keys == kFalse || value == kFalse) return kFalse;
  return formulas_.Add(formula::SomeProperty{keys, value});
}

FormulaId Negation::ItemsAtLeast(std::int64_t count) {
  return formulas_.Add(formula::ItemCount{count, {}});
}

FormulaId Negation::WithItem(std::size_t index, FormulaId value) {
  if (value == kFalse) return kFalse;
  formula::Items items;
  items.prefix.assign(index, kTrue);
  items.prefix.push_back(value);
  return formulas_.And(
      {ItemsAtLeast(static_cast<std::int64_t>(index) + 1), formulas_.Add(std::move(items))});
}

FormulaId Negation::operator()(const formula::Items& items) {
  std::vector<FormulaId> choices;
  for (std::size_t i = 0; i < items.prefix.size(); ++i) {
    choices.push_back(WithItem(i, formulas_.Exclude(items.prefix[i])));
  }
  if (items.rest && *items.rest != kTrue) {
    choices.push_back(
        formulas_.Add(formula::Contains{.item = formulas_.Exclude(*items.rest),
                                        .from = static_cast<std::int64_t>(items.prefix.size())}));
  }
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::ItemCount& count) {
  std::vector<FormulaId> choices;
  if (count.min > 0) choices.push_back(formulas_.Add(formula::ItemCount{0, count.min - 1}));
  if (count.max) choices.push_back(ItemsAtLeast(*count.max + 1));
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::Contains& contains) {
  std::vector<FormulaId> choices;
  formula::Contains other = contains;
  if (contains.min > 0) {
    other.min = 0;
    other.max = contains.min - 1;
    choices.push_back(formulas_.Add(other));
  }
  if (contains.max) {
    other.min = *contains.max + 1;
    other.max.reset();
    choices.push_back(formulas_.Add(other));
  }
  return formulas_.Or(std::move(choices));
}

FormulaId Negation::operator()(const formula::UniqueItems& unique) {
  return formulas_.Add(formula::Unenforceable{Only(Kind::kArray), unique.place, "uniqueItems",
                                              "cannot be enforced under not, oneOf or if",
                                              /*under_not=*/true});
}

FormulaId Negation::operator()(const formula::UnevaluatedItems& unevaluated) {
  std::size_t from = 0;
  std::vector<FormulaId> item{formulas_.Exclude(unevaluated.value)};
  for (const FormulaId id : unevaluated.evaluating) {
    if (const auto* items = formulas_.As<formula::Items>(id)) {
      if (items->rest) return kFalse;
      from = std::max(from, items->prefix.size());
    } else if (const auto* contains = formulas_.As<formula::Contains>(id)) {
      item.push_back(formulas_.Exclude(contains->item));
    } else {
      return kFalse;
    }
  }
  const FormulaId all = formulas_.And(std::move(item));
  if (all == kFalse) return kFalse;
  return formulas_.Add(formula::Contains{.item = all, .from = static_cast<std::int64_t>(from)});
}

FormulaId Negation::operator()(const formula::Unenforceable& unenforceable) {
  formula::Unenforceable negated = unenforceable;
  negated.under_not = !negated.under_not;
  return formulas_.Add(std::move(negated));
}

}  // namespace sglrun::grammar
