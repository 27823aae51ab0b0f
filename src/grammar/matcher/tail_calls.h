// If a rule ends with a call of itself, the rule starts again: root ::= root root | "a" is a loop.
// Left as calls, every such end would be one more place to return to, and an ambiguous rule would
// have as many parses as its text has letters.
#pragma once

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Whether any machine has changed. Machines must not call themselves at their start.
Result<bool, GrammarError> LoopTailCalls(Machines& machines, Budget& budget);

}  // namespace sglrun::grammar
