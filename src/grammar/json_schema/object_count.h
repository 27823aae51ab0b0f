// Properties are counted by their members, but a repeated key is one property. If more properties
// are required than the schema names, the object must distinguish the other keys.
#pragma once

#include <vector>

#include "grammar/json_schema/object_order.h"
#include "grammar/json_schema/object_plan.h"
#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

// Whether the writer must remember which cells its members are from. kUnsupported where that would
// not be enough.
Result<bool, GrammarError> TellsKeysApart(ValueRules& rules, const ObjectPlan& plan,
                                          const std::vector<KeyCell>& cells,
                                          const ObjectOrder& order);
// For an object that distinguishes keys: notes in the report which keys are lost.
void NoteKeysApart(ValueRules& rules, const ObjectPlan& plan, const std::vector<KeyCell>& cells);
// For an object whose keys cannot be distinguished: members are counted if that may be relaxed,
// else kUnsupported.
Result<void, GrammarError> CountMembers(ValueRules& rules, const ObjectPlan& plan);

}  // namespace sglrun::grammar
