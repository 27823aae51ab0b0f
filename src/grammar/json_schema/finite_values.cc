// The values that enum and const name, where they say all there is to say.
#include <utility>

#include "grammar/base/json_text.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {

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
      SGLRUN_ASSIGN_OR_RETURN(const Truth truth, TruthOfSimplified(*value, kind, id));
      keep = Passes(truth);
    }
    for (const FormulaId id : alternative.excluded) {
      if (!keep) break;
      SGLRUN_ASSIGN_OR_RETURN(const Truth truth,
                              TruthOfSimplified(*value, kind, formulas_.Exclude(id)));
      keep = Passes(truth);
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
