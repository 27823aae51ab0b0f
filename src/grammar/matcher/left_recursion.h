// Rewrites machines that call themselves before they take anything, so that the calls of a place in
// the text are bounded and can be made in an order known beforehand.
#pragma once

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Afterwards machines are numbered so that a machine's first calls go to higher numbers only, and
// equal machines are one.
Result<void, GrammarError> RemoveLeftRecursion(Machines& machines, Budget& budget);

}  // namespace sglrun::grammar
