#include "grammar/json_schema/translate.h"

#include <algorithm>
#include <utility>

namespace sglrun::grammar {

void ReportOnce(std::vector<std::string>& list, std::string entry) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(std::move(entry));
}

FormulaResult Translator::FormulaOf(const formula::AtPlace& at) {
  const auto known = known_.find(at.Key());
  if (known != known_.end()) return known->second;
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId id, Translate(at));
  known_.emplace(at.Key(), id);
  return id;
}

std::optional<FormulaId> Translator::KnownFormulaOf(const formula::AtPlace& at) const {
  const auto known = known_.find(at.Key());
  if (known == known_.end()) return std::nullopt;
  return known->second;
}

FormulaResult Translator::Translate(const formula::AtPlace& at) {
  // There may be a thousand scopes for a place: bounds the memory of their formulas.
  constexpr std::int64_t kSteps = 100, kStepsInScope = 1'000;
  SGLRUN_RETURN_IF_ERROR(
      front_.budget.Spend("reading the schema", at.scope == kNoScope ? kSteps : kStepsInScope));
  SGLRUN_ASSIGN_OR_RETURN(const ScopeId scope, document_.ScopeInside(at.place, at.scope));
  if (scope != at.scope) return formulas_.AtPlace({at.place, at.stance, scope});
  const Json& schema = document_.schema(at.place);
  if (schema.is_bool()) return schema.as_bool() ? kTrue : kFalse;
  std::vector<FormulaId> parts;
  const Here here{at.place, at.stance, scope, schema, parts};
  if (document_.draft(at.place) <= SchemaDraft::k7 && schema.Find("$ref") != nullptr) {
    SGLRUN_RETURN_IF_ERROR(AddReference(here, "$ref", schema.Find("$ref")->as_string()));
    return formulas_.And(std::move(parts));
  }
  SGLRUN_RETURN_IF_ERROR(AddParts(here));
  return WrapUnevaluated(here, formulas_.And(std::move(parts)));
}

// The order of the parts is the order of keys in generated objects: the place's own
// first, then those of references and allOf, then those of the chosen branches.
Result<void, GrammarError> Translator::AddParts(const Here& here) {
  AddTypes(here);
  AddValues(here);
  SGLRUN_RETURN_IF_ERROR(AddNumbers(here));
  AddStrings(here);
  AddObjects(here);
  AddArrays(here);
  SGLRUN_RETURN_IF_ERROR(AddReferences(here));
  SGLRUN_RETURN_IF_ERROR(AddChoices(here));
  AddDependencies(here);
  return {};
}

FormulaId Translator::Sub(const Here& here, const Json& schema, Stance stance) {
  if (schema.is_bool()) return schema.as_bool() ? kTrue : kFalse;
  if (schema.as_object().empty()) return kTrue;
  return formulas_.AtPlace({document_.PlaceOf(schema), stance, here.scope});
}

FormulaId Translator::Excluding(const Here& here, const char* keyword, const Json& schema) {
  const FormulaId excluded = Sub(here, schema, Deeper(here.stance));
  exclusions_.push_back({here.place, keyword, excluded});
  return formulas_.Exclude(excluded);
}

Result<void, GrammarError> Translator::AddReferences(const Here& here) {
  for (const auto& [name, value] : here.schema.as_object()) {
    if (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") {
      SGLRUN_RETURN_IF_ERROR(AddReference(here, name, value.as_string()));
    } else if (name == "allOf") {
      for (const Json& member : value.as_array()) here.parts.push_back(Sub(here, member));
    }
  }
  return {};
}

Result<void, GrammarError> Translator::AddReference(const Here& here, const std::string& keyword,
                                                    const std::string& reference) {
  const auto resolve = [&] {
    if (keyword == "$ref") return document_.ResolveRef(here.place, keyword, reference);
    if (keyword == "$dynamicRef") {
      return document_.ResolveDynamicRef(here.place, reference, here.scope);
    }
    return document_.ResolveRecursiveRef(here.place, reference, here.scope);
  };
  PlaceResult target = resolve();
  if (target.ok()) {
    here.parts.push_back(formulas_.AtPlace({*target, here.stance, here.scope}));
    return {};
  }
  if (target.error().verdict != Verdict::kUnsupported) return std::move(target).error();
  // The pointer before the sentence comes again when the verdict is needed.
  const std::size_t pointer = target.error().pointer.size() + 1;
  here.parts.push_back(formulas_.Add(formula::Unenforceable{
      kEveryKind, here.place, keyword, target.error().message.substr(pointer)}));
  return {};
}

Result<void, GrammarError> Translator::AddChoices(const Here& here) {
  if (const Json* members = here.schema.Find("anyOf")) {
    std::vector<FormulaId> parts;
    for (const Json& member : members->as_array()) parts.push_back(Sub(here, member));
    here.parts.push_back(formulas_.Or(std::move(parts), /*inclusive=*/true));
  }
  if (const Json* members = here.schema.Find("oneOf")) {
    SGLRUN_RETURN_IF_ERROR(AddOneOf(here, members->as_array()));
  }
  AddCondition(here);
  if (const Json* inner = here.schema.Find("not")) {
    here.parts.push_back(Excluding(here, "not", *inner));
  }
  return {};
}

// Each member without all others. Most exclusions turn out to be empty in combination with the rest
// (normal_form.h).
Result<void, GrammarError> Translator::AddOneOf(const Here& here, const Json::Array& members) {
  std::vector<FormulaId> parts;
  if (front_.options.one_of_as_any_of) {
    for (const Json& member : members) parts.push_back(Sub(here, member));
    ReportOnce(front_.report.relaxed, document_.Pointer(here.place, "oneOf"));
    here.parts.push_back(formulas_.Or(std::move(parts), /*inclusive=*/true));
    return {};
  }
  const auto count = static_cast<std::int64_t>(members.size());
  if (count * count > front_.options.limits.nodes) {
    return document_.ErrorAt(here.place, "oneOf", Verdict::kTooLarge,
                             "has " + std::to_string(count) + " members, too many to compare");
  }
  std::vector<FormulaId> others;
  for (const Json& member : members) {
    others.push_back(Excluding(here, "oneOf", member));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::vector<FormulaId> only{Sub(here, members[i])};
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (j != i) only.push_back(others[j]);
    }
    parts.push_back(formulas_.And(std::move(only)));
  }
  here.parts.push_back(formulas_.Or(std::move(parts)));
  return {};
}

void Translator::AddCondition(const Here& here) {
  const Json* condition = here.schema.Find("if");
  if (condition == nullptr) return;
  const Stance stance = IsTested(here.stance) ? here.stance : Stance::kCondition;
  const FormulaId holds = Sub(here, *condition, stance);
  const Json* then = here.schema.Find("then");
  const Json* otherwise = here.schema.Find("else");
  if (then == nullptr && otherwise == nullptr) {
    // No effect but on what counts as evaluated.
    here.parts.push_back(formulas_.Or({holds, kTrue}, /*inclusive=*/true));
    return;
  }
  const FormulaId fails = Excluding(here, "if", *condition);
  const FormulaId if_true = then == nullptr ? kTrue : Sub(here, *then);
  const FormulaId if_false = otherwise == nullptr ? kTrue : Sub(here, *otherwise);
  here.parts.push_back(
      formulas_.Or({formulas_.And({holds, if_true}), formulas_.And({fails, if_false})}));
}

}  // namespace sglrun::grammar
