// Large counts out of an expression: ^[a-z]{1,2000}$ is [a-z]* of 1 to 2000 characters, which needs
// no copies.
#pragma once

#include "grammar/ir/counted_text.h"
#include "grammar/regex/simplify.h"

namespace sglrun::grammar {

// Replaces the one large repetition of an expression whose other parts have one length each by a
// loop. The texts of the expression before are those of the one after within the lengths that are
// returned; without such a repetition nothing changes, and there are no bounds.
LengthBounds SplitLengths(SimpleRegex& regex);

}  // namespace sglrun::grammar
