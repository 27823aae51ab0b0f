// Rewrites machines that call themselves before they take a symbol, so that the calls at one place
// of a text are bounded and their order is known in advance.
#pragma once

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Afterwards machines are numbered so that a machine's first calls go to higher numbers only, and
// equal machines are one.
Result<void, GrammarError> RemoveLeftRecursion(Machines& machines, Budget& budget);

}  // namespace sglrun::grammar
