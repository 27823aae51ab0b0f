// Where a rule ends with itself, the text just begins the rule again: root ::= root root | "a" is a
// loop. Left as calls, every such end would be one more place to return to, and an ambiguous rule
// would have as many readings as its text has letters.
#pragma once

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Whether any machine has changed. Machines must not call themselves at their start.
Result<bool, GrammarError> LoopTailCalls(Machines& machines, Budget& budget);

}  // namespace sglrun::grammar
