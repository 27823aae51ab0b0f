// The combined constraints of an alternative on an object: the value of each named key, and the
// constraints on keys that the schema does not name. Used for proofs and for generation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {

struct ObjectPlan {
  struct Key {
    std::string name;
    FormulaId value = kTrue;  // kFalse: must not appear
    bool required = false;
    bool anywhere = false;  // may stand among further keys in any order
  };
  // In the order of generation; keys that may occur anywhere come last. Distinct.
  std::vector<Key> keys;
  std::int64_t min = 0;
  const formula::PropertyCount* min_said_by = nullptr;
  std::int64_t required = 0;  // keys that must be there
  std::optional<std::int64_t> max;
  std::vector<const formula::DependentRequired*> dependent;
  std::vector<const formula::SomeProperty*> some;
  std::vector<FormulaId> key_conditions;  // propertyNames
  // Whether a key that `keys` lacks may appear (true may be too much).
  bool others_possible = true;

  // The constraints after the plan, for CellsOf.
  std::vector<const formula::Properties*> properties;
  std::vector<const formula::UnevaluatedProperties*> unevaluated;
  bool closed = false;  // no other keys, as --json-schema-mode strict has it

  // What comes twice is one property, and keys that the schema does not name may come twice. With
  // all required keys and one more, no two can have been one; where more are asked for, members
  // alone are no measure of properties.
  bool CountsOthers() const { return others_possible && min > required + 1; }
};

// A proof that there is no such object may do without keys that can be left out: a plan for it
// lists those that are required, and others only where the plan counts them.
enum class KeysWanted : std::uint8_t { kAll, kRequired };
Result<ObjectPlan, GrammarError> PlanObject(NormalForm& normal_form, const Alternative& alternative,
                                            KeysWanted wanted = KeysWanted::kAll);

// The keys that no plan names, parted by the patterns they match; and where the plan counts them,
// so that keys of different cells are different properties: one by one where they are few, else by
// their first characters.
struct KeyCell {
  SharedDfa keys;  // decoded; nullptr: all keys but those the plan names
  FormulaId value = kTrue;
  std::uint32_t some = 0;  // bit i: the keys fit plan.some[i]
  bool one_key = false;
};
Result<std::vector<KeyCell>, GrammarError> CellsOf(NormalForm& normal_form, const ObjectPlan& plan);

}  // namespace sglrun::grammar
