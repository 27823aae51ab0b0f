#include "grammar/json_schema/object_plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sglrun::grammar {
namespace {

class Planner {
 public:
  Planner(NormalForm& normal_form, ObjectPlan& plan)
      : normal_form_(normal_form), formulas_(normal_form.formulas()), plan_(plan) {}

  Result<void, GrammarError> Plan(const Alternative& alternative) {
    Sort(alternative);
    Close();
    ListKeys();
    RequireDependents();
    for (ObjectPlan::Key& key : plan_.keys) {
      SGLRUN_ASSIGN_OR_RETURN(key.value, ValueOf(key.name));
    }
    for (const ObjectPlan::Key& key : plan_.keys) plan_.required += key.required ? 1 : 0;
    plan_.others_possible = OthersPossible();
    return {};
  }

 private:
  void Sort(const Alternative& alternative) {
    for (const FormulaId id : alternative.constraints) {
      const Formula& f = formulas_[id];
      if (const auto* properties = std::get_if<formula::Properties>(&f)) {
        index_of_.emplace(id, plan_.properties.size());
        plan_.properties.push_back(properties);
      } else if (const auto* required = std::get_if<formula::Required>(&f)) {
        required_.push_back(required);
      } else if (const auto* names = std::get_if<formula::PropertyNames>(&f)) {
        plan_.key_conditions.push_back(names->keys);
      } else if (const auto* count = std::get_if<formula::PropertyCount>(&f)) {
        if (count->min > plan_.min) plan_.min_said_by = count;
        plan_.min = std::max(plan_.min, count->min);
        if (count->max) plan_.max = std::min(plan_.max.value_or(*count->max), *count->max);
      } else if (const auto* dependent = std::get_if<formula::DependentRequired>(&f)) {
        plan_.dependent.push_back(dependent);
      } else if (const auto* some = std::get_if<formula::SomeProperty>(&f)) {
        plan_.some.push_back(some);
      } else if (const auto* unevaluated = std::get_if<formula::UnevaluatedProperties>(&f)) {
        plan_.unevaluated.push_back(unevaluated);
      }
    }
  }

  // Decisions 36: closed where names are given and nothing speaks of other ones.
  void Close() {
    if (!normal_form_.strict() || !plan_.unevaluated.empty()) return;
    bool names = false;
    for (const formula::Properties* properties : plan_.properties) {
      if (IsTested(properties->stance)) continue;
      if (properties->others) return;
      names |= properties->stance == Stance::kAsserted;
    }
    plan_.closed = names;
  }

  void AddKey(const std::string& name, bool anywhere) {
    const auto [at, is_new] = key_by_name_.try_emplace(name, plan_.keys.size());
    if (is_new) plan_.keys.push_back({name, kTrue, false, anywhere});
  }

  void ListKeys() {
    for (std::size_t i = 0; i < plan_.properties.size(); ++i) {
      for (const auto& named : plan_.properties[i]->named) {
        values_[named.name].push_back({i, named.value});
        if (!IsTested(plan_.properties[i]->stance)) AddKey(named.name, false);
      }
    }
    for (const formula::Required* required : required_) {
      if (required->anywhere) continue;
      for (const std::string& name : required->names) {
        AddKey(name, false);
        if (required->stance == Stance::kAsserted) asked_for_.insert(name);
      }
    }
    for (const formula::Required* required : required_) {
      for (const std::string& name : required->names) {
        AddKey(name, true);
        plan_.keys[key_by_name_.at(name)].required = true;
      }
    }
    for (const formula::DependentRequired* dependent : plan_.dependent) {
      AddKey(dependent->name, true);
      for (const std::string& name : dependent->names) AddKey(name, true);
    }
    for (const formula::Properties* properties : plan_.properties) {
      for (const auto& named : properties->named) AddKey(named.name, true);
    }
  }

  void RequireDependents() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const formula::DependentRequired* dependent : plan_.dependent) {
        if (!plan_.keys[key_by_name_.at(dependent->name)].required) continue;
        for (const std::string& name : dependent->names) {
          bool& required = plan_.keys[key_by_name_.at(name)].required;
          changed |= !required;
          required = true;
        }
      }
    }
  }

  // All that applies to the value of the key `name`.
  FormulaResult ValueOf(const std::string& name) {
    for (const FormulaId condition : plan_.key_conditions) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth fits, normal_form_.KeyMatches(condition, name));
      if (!normal_form_.Passes(fits)) return kFalse;
    }
    std::vector<FormulaId> parts;
    std::vector<char> spoken_of(plan_.properties.size(), 0);
    const auto named = values_.find(name);
    if (named != values_.end()) {
      for (const auto& [index, value] : named->second) {
        parts.push_back(value);
        spoken_of[index] = 1;
      }
    }
    // A name that `required` alone gives is no further one.
    bool declared = !plan_.closed || asked_for_.count(name) != 0;
    for (std::size_t i = 0; i < plan_.properties.size(); ++i) {
      const formula::Properties& properties = *plan_.properties[i];
      for (const auto& pattern : properties.patterns) {
        SGLRUN_ASSIGN_OR_RETURN(const Truth matches, normal_form_.KeyMatches(pattern.keys, name));
        // A doubtful name is asked for what all readings ask for together, or for what they share.
        const bool lenient = normal_form_.reading() == Reading::kSome;
        const bool asked = matches == Truth::kYes || (matches == Truth::kDoubtful && !lenient);
        if (asked && !normal_form_.IsDropped(pattern.keys)) parts.push_back(pattern.value);
        if (normal_form_.Passes(matches)) spoken_of[i] = 1;
      }
      declared |= spoken_of[i] != 0 && !IsTested(properties.stance);
      if (spoken_of[i] == 0 && properties.others) {
        parts.push_back(*properties.others);
        spoken_of[i] = 1;
      }
    }
    if (!declared) return kFalse;
    for (const formula::UnevaluatedProperties* unevaluated : plan_.unevaluated) {
      if (!Evaluated(*unevaluated, spoken_of)) parts.push_back(unevaluated->value);
    }
    return formulas_.And(std::move(parts));
  }

  bool Evaluated(const formula::UnevaluatedProperties& unevaluated,
                 const std::vector<char>& spoken_of) const {
    return std::any_of(unevaluated.evaluating.begin(), unevaluated.evaluating.end(),
                       [&](FormulaId id) {
                         const auto at = index_of_.find(id);
                         // Not in the plan: an unevaluatedProperties of its own, which covers all.
                         return at == index_of_.end() || spoken_of[at->second] != 0;
                       });
  }

  bool OthersPossible() const {
    bool patterns = false, others_false = plan_.closed;
    for (const formula::Properties* properties : plan_.properties) {
      patterns |= !properties->patterns.empty();
      others_false |= properties->others && *properties->others == kFalse;
    }
    for (const formula::UnevaluatedProperties* unevaluated : plan_.unevaluated) {
      const bool all_evaluated = std::any_of(
          unevaluated->evaluating.begin(), unevaluated->evaluating.end(), [&](FormulaId id) {
            const auto* properties = formulas_.As<formula::Properties>(id);
            return properties == nullptr || properties->others.has_value();
          });
      others_false |= !all_evaluated && unevaluated->value == kFalse;
    }
    return patterns || !others_false;
  }

  struct NamedValue {
    std::size_t properties = 0;  // index of the constraint
    FormulaId value = kTrue;
  };

  NormalForm& normal_form_;
  Formulas& formulas_;
  ObjectPlan& plan_;
  std::vector<const formula::Required*> required_;
  std::unordered_set<std::string> asked_for_;
  std::unordered_map<FormulaId, std::size_t> index_of_;
  std::unordered_map<std::string, std::size_t> key_by_name_;
  std::unordered_map<std::string, std::vector<NamedValue>> values_;
};

}  // namespace

Result<ObjectPlan, GrammarError> PlanObject(NormalForm& normal_form,
                                            const Alternative& alternative) {
  ObjectPlan plan;
  SGLRUN_RETURN_IF_ERROR(Planner(normal_form, plan).Plan(alternative));
  return plan;
}

}  // namespace sglrun::grammar
