// Ignoring case. Engines disagree beyond ASCII (does "k" match the Kelvin sign?), so a set is made
// as narrow as all of them agree on where it says what may come, and as wide as any of them goes
// where it says what may not: what comes out matches everywhere.
#pragma once

#include "text/char_set.h"

namespace sglrun::grammar {

// With the other cases of ASCII letters, and of Latin-1, Greek and Cyrillic letters within those
// blocks: what every engine folds.
CharSet FoldNarrowly(const CharSet& set);
// With everything that any engine takes for a member.
CharSet FoldWidely(const CharSet& set);

}  // namespace sglrun::grammar
