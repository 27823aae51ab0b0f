#include "grammar/json_schema/object_plan.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sglrun::grammar {
namespace {

class Planner {
 public:
  Planner(NormalForm& normal_form, ObjectPlan& plan)
      : normal_form_(normal_form), formulas_(normal_form.formulas()), plan_(plan) {}

  Result<void, GrammarError> Plan(const Alternative& alternative, KeysWanted wanted) {
    Sort(alternative);
    Close();
    // Of a proof these alone ask for keys that need not be there.
    if (wanted == KeysWanted::kRequired && plan_.min == 0 && plan_.some.empty()) {
      ListRequired();
      FindValues();
    } else {
      ListKeys();
    }
    RequireDependents();
    for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(plan_.keys[i].value, ValueOf(*names_of_keys_[i]));
    }
    for (const ObjectPlan::Key& key : plan_.keys) plan_.required += key.required ? 1 : 0;
    plan_.others_possible = OthersPossible();
    return {};
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Name {
    std::size_t key = kNone;                              // of the plan
    std::size_t first_value = kNone, last_value = kNone;  // a list in values_
    bool asked_for = false;                               // by `required`
  };
  struct NamedValue {
    std::size_t properties = 0;  // index of the constraint
    FormulaId value = kTrue;
    std::size_t next = kNone;
  };
  // Names live as long as the formulas that say them.
  using Names = std::unordered_map<std::string_view, Name>;

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

  // An object is closed if it names properties and no keyword applies to other ones.
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

  Name& AddKey(std::string_view name, bool anywhere) { return AddKey(*NameOf(name), anywhere); }
  Name& AddKey(Names::value_type& name, bool anywhere) {
    if (name.second.key == kNone) {
      name.second.key = plan_.keys.size();
      plan_.keys.push_back({std::string(name.first), kTrue, false, anywhere});
      names_of_keys_.push_back(&name);
    }
    return name.second;
  }
  Names::pointer NameOf(std::string_view name) { return &*names_.try_emplace(name).first; }
  ObjectPlan::Key& KeyOf(std::string_view name) { return plan_.keys[NameOf(name)->second.key]; }

  void AddValue(Name& name, std::size_t properties, FormulaId value) {
    const std::size_t at = values_.size();
    values_.push_back({properties, value});
    (name.first_value == kNone ? name.first_value : values_[name.last_value].next) = at;
    name.last_value = at;
  }

  void ListKeys() {
    for (std::size_t i = 0; i < plan_.properties.size(); ++i) {
      for (const auto& named : plan_.properties[i]->named) {
        Names::value_type& name = *NameOf(named.name);
        AddValue(name.second, i, named.value);
        if (!IsTested(plan_.properties[i]->stance)) AddKey(name, false);
      }
    }
    ListRequired();
    for (const formula::Properties* properties : plan_.properties) {
      for (const auto& named : properties->named) AddKey(named.name, true);
    }
  }

  // And those that others depend on.
  void ListRequired() {
    for (const formula::Required* required : required_) {
      if (required->anywhere) continue;
      for (const std::string& name : required->names) {
        Name& added = AddKey(name, false);
        added.asked_for |= required->stance == Stance::kAsserted;
      }
    }
    for (const formula::Required* required : required_) {
      for (const std::string& name : required->names) {
        plan_.keys[AddKey(name, true).key].required = true;
      }
    }
    for (const formula::DependentRequired* dependent : plan_.dependent) {
      AddKey(dependent->name, true);
      for (const std::string& name : dependent->names) AddKey(name, true);
    }
  }

  // Of the keys that are listed already.
  void FindValues() {
    for (std::size_t i = 0; i < plan_.properties.size() && !names_.empty(); ++i) {
      for (const auto& named : plan_.properties[i]->named) {
        const auto name = names_.find(named.name);
        if (name != names_.end()) AddValue(name->second, i, named.value);
      }
    }
  }

  void RequireDependents() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const formula::DependentRequired* dependent : plan_.dependent) {
        if (!KeyOf(dependent->name).required) continue;
        for (const std::string& name : dependent->names) {
          bool& required = KeyOf(name).required;
          changed |= !required;
          required = true;
        }
      }
    }
  }

  // All that applies to the value of a key.
  FormulaResult ValueOf(const Names::value_type& of) {
    const std::string_view name = of.first;
    for (const FormulaId condition : plan_.key_conditions) {
      SGLRUN_ASSIGN_OR_RETURN(const Truth fits, normal_form_.KeyMatches(condition, name));
      if (!normal_form_.Passes(fits)) return kFalse;
    }
    std::vector<FormulaId> parts;
    spoken_of_.assign(plan_.properties.size(), 0);
    for (std::size_t at = of.second.first_value; at != kNone; at = values_[at].next) {
      parts.push_back(values_[at].value);
      spoken_of_[values_[at].properties] = 1;
    }
    // A name that `required` alone gives is no further one.
    bool declared = !plan_.closed || of.second.asked_for;
    for (std::size_t i = 0; i < plan_.properties.size(); ++i) {
      const formula::Properties& properties = *plan_.properties[i];
      for (const auto& pattern : properties.patterns) {
        SGLRUN_ASSIGN_OR_RETURN(const Truth matches, normal_form_.KeyMatches(pattern.keys, name));
        // A doubtful name gets the constraints of all readings together, or those that they share.
        const bool lenient = normal_form_.reading() == Reading::kSome;
        const bool asked = matches == Truth::kYes || (matches == Truth::kDoubtful && !lenient);
        if (asked && !normal_form_.IsDropped(pattern.keys)) parts.push_back(pattern.value);
        if (normal_form_.Passes(matches)) spoken_of_[i] = 1;
      }
      declared |= spoken_of_[i] != 0 && !IsTested(properties.stance);
      if (spoken_of_[i] == 0 && properties.others) {
        parts.push_back(*properties.others);
        spoken_of_[i] = 1;
      }
    }
    if (!declared) return kFalse;
    for (const formula::UnevaluatedProperties* unevaluated : plan_.unevaluated) {
      if (!Evaluated(*unevaluated)) parts.push_back(unevaluated->value);
    }
    return formulas_.And(std::move(parts));
  }

  bool Evaluated(const formula::UnevaluatedProperties& unevaluated) const {
    return std::any_of(unevaluated.evaluating.begin(), unevaluated.evaluating.end(),
                       [&](FormulaId id) {
                         const auto at = index_of_.find(id);
                         // Not in the plan: an unevaluatedProperties of its own, which covers all.
                         return at == index_of_.end() || spoken_of_[at->second] != 0;
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

  NormalForm& normal_form_;
  Formulas& formulas_;
  ObjectPlan& plan_;
  std::vector<const formula::Required*> required_;
  std::unordered_map<FormulaId, std::size_t> index_of_;
  Names names_;
  std::vector<Names::pointer> names_of_keys_;
  std::vector<NamedValue> values_;
  std::vector<char> spoken_of_;  // by constraint: whether it applies to the current key
};

}  // namespace

Result<ObjectPlan, GrammarError> PlanObject(NormalForm& normal_form, const Alternative& alternative,
                                            KeysWanted wanted) {
  ObjectPlan plan;
  SGLRUN_RETURN_IF_ERROR(Planner(normal_form, plan).Plan(alternative, wanted));
  return plan;
}

}  // namespace sglrun::grammar
