// Properties are counted by their members, but a key that comes twice is one property: where more
// are asked for than the schema names, the writer of an object has to tell the others apart.
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
// Of an object whose writer does: says in the report what is lost.
void NoteKeysApart(ValueRules& rules, const ObjectPlan& plan, const std::vector<KeyCell>& cells);
// Of one whose keys cannot be distinguished: members are counted where that may be relaxed, else
// kUnsupported.
Result<void, GrammarError> CountMembers(ValueRules& rules, const ObjectPlan& plan);

}  // namespace sglrun::grammar
