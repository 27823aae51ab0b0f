// The keywords of objects and arrays.
#include <utility>

#include "grammar/base/json_pointer.h"
#include "grammar/json_schema/translate.h"

namespace sglrun::grammar {
namespace {

std::vector<std::string> StringsOf(const Json& list) {
  std::vector<std::string> strings;
  for (const Json& item : list.as_array()) strings.push_back(item.as_string());
  return strings;
}

}  // namespace

FormulaId WithoutProperty(Formulas& formulas, const std::string& name) {
  formula::Properties properties;
  properties.named.push_back({name, kFalse});
  return formulas.Add(std::move(properties));
}

FormulaId Translator::KeysMatching(const Here& here, const std::string& pattern) {
  const auto [at, is_new] = keys_by_pattern_.try_emplace(pattern, kTrue);
  if (is_new) {
    StringConstraints constraints;
    constraints.patterns.push_back(pattern);
    at->second = formulas_.Add(formula::Text{std::move(constraints), here.place,
                                             "patternProperties/" + EscapePointerStep(pattern)});
  }
  return at->second;
}

void Translator::AddObjects(const Here& here) {
  const Json* named = here.schema.Find("properties");
  const Json* patterns = here.schema.Find("patternProperties");
  const Json* others = here.schema.Find("additionalProperties");
  if (named != nullptr || patterns != nullptr || others != nullptr) {
    formula::Properties properties;
    properties.stance = here.stance;
    if (named != nullptr) {
      for (const auto& [name, schema] : named->as_object()) {
        properties.named.push_back({name, Sub(here, schema)});
      }
    }
    if (patterns != nullptr) {
      for (const auto& [pattern, schema] : patterns->as_object()) {
        properties.patterns.push_back({KeysMatching(here, pattern), Sub(here, schema)});
      }
    }
    if (others != nullptr) properties.others = Sub(here, *others);
    here.parts.push_back(formulas_.Add(std::move(properties)));
  }
  const Json* required = here.schema.Find("required");
  if (required != nullptr && !required->as_array().empty()) {
    here.parts.push_back(formulas_.Add(
        formula::Required{StringsOf(*required), here.stance != Stance::kAsserted, here.stance}));
  }
  if (const Json* names = here.schema.Find("propertyNames")) {
    const FormulaId keys = Sub(here, *names, Stance::kTested);
    if (keys != kTrue) here.parts.push_back(formulas_.Add(formula::PropertyNames{keys}));
  }
  const Json* min = here.schema.Find("minProperties");
  const Json* max = here.schema.Find("maxProperties");
  if (min != nullptr || max != nullptr) {
    formula::PropertyCount count{.place = here.place};
    if (min != nullptr) count.min = CountOf(*min);
    if (max != nullptr) count.max = CountOf(*max);
    here.parts.push_back(formulas_.Add(count));
  }
}

void Translator::AddDependencies(const Here& here) {
  for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    const Json* all = here.schema.Find(keyword);
    if (all == nullptr) continue;
    for (const auto& [name, value] : all->as_object()) AddDependency(here, name, value);
  }
}

void Translator::AddDependency(const Here& here, const std::string& name, const Json& value) {
  if (value.is_array()) {
    if (value.as_array().empty()) return;
    here.parts.push_back(formulas_.Add(formula::DependentRequired{name, StringsOf(value)}));
    return;
  }
  const FormulaId then = Sub(here, value);
  if (then == kTrue) return;
  const FormulaId present =
      then == kFalse ? kFalse : formulas_.Add(formula::Required{{name}, /*anywhere=*/true});
  here.parts.push_back(
      formulas_.Or({WithoutProperty(formulas_, name), formulas_.And({present, then})}));
}

void Translator::AddArrays(const Here& here) {
  const Json* prefix = here.schema.Find("prefixItems");
  const Json* items = here.schema.Find("items");
  const Json* rest = items;
  if (items != nullptr && items->is_array()) {  // up to draft 2019-09
    prefix = items;
    rest = here.schema.Find("additionalItems");
  }
  if (prefix != nullptr || rest != nullptr) {
    formula::Items all;
    all.stance = here.stance;
    if (prefix != nullptr) {
      for (const Json& item : prefix->as_array()) all.prefix.push_back(Sub(here, item));
    }
    if (rest != nullptr) all.rest = Sub(here, *rest);
    here.parts.push_back(formulas_.Add(std::move(all)));
  }
  const Json* min = here.schema.Find("minItems");
  const Json* max = here.schema.Find("maxItems");
  if (min != nullptr || max != nullptr) {
    formula::ItemCount count;
    if (min != nullptr) count.min = CountOf(*min);
    if (max != nullptr) count.max = CountOf(*max);
    here.parts.push_back(formulas_.Add(count));
  }
  if (const Json* contains = here.schema.Find("contains")) {
    const Json* at_least = here.schema.Find("minContains");
    const Json* at_most = here.schema.Find("maxContains");
    formula::Contains all{
        .item = Sub(here, *contains, Stance::kTested), .place = here.place, .stance = here.stance};
    if (at_least != nullptr) all.min = CountOf(*at_least);
    if (at_most != nullptr) all.max = CountOf(*at_most);
    here.parts.push_back(formulas_.Add(all));
  }
  const Json* unique = here.schema.Find("uniqueItems");
  if (unique != nullptr && unique->as_bool()) {
    here.parts.push_back(formulas_.Add(formula::UniqueItems{here.place}));
  }
}

FormulaId Translator::WrapUnevaluated(const Here& here, FormulaId inner) {
  const Json* properties = here.schema.Find("unevaluatedProperties");
  const Json* items = here.schema.Find("unevaluatedItems");
  if (properties == nullptr && items == nullptr) return inner;
  formula::Scope scope{.inner = inner, .stance = here.stance};
  if (properties != nullptr) scope.properties = Sub(here, *properties);
  if (items != nullptr) scope.items = Sub(here, *items);
  scope.contains_evaluates = document_.draft(here.place) >= SchemaDraft::k2020;
  return formulas_.Add(std::move(scope));
}

}  // namespace sglrun::grammar
