// Bracket classes: [a-z_], [^\s"], [] (nothing), [^] (anything).
#pragma once

#include "base/result.h"
#include "grammar/char_set.h"
#include "grammar/regex/cursor.h"

namespace sglrun::grammar {

// The cursor stands behind the opening bracket.
Result<CharSet, GrammarError> ParseClass(Cursor& cursor, bool ignore_case);

}  // namespace sglrun::grammar
