// Bracket classes: [a-z_], [^\s"], [] (nothing), [^] (anything).
#pragma once

#include "base/result.h"
#include "grammar/regex/cursor.h"
#include "text/char_set.h"

namespace sglrun::grammar {

struct ClassContext {
  bool ignore_case = false;
  bool wide = false;  // RegexFlags::wide
};

// The cursor is after the opening bracket.
Result<CharSet, GrammarError> ParseClass(Cursor& cursor, ClassContext context);

}  // namespace sglrun::grammar
