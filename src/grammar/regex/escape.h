// What follows a backslash, outside classes and in them.
#pragma once

#include <memory>
#include <variant>

#include "base/result.h"
#include "grammar/regex/cursor.h"
#include "text/char_set.h"

namespace sglrun::grammar {

// \d, \S, \p{..}: the characters it means, and those that [^..] of it means. The two need not be
// complements: where engines disagree both leave the doubtful characters out, and
// both hold them in a wide context.
struct ClassEscape {
  std::shared_ptr<const CharSet> inside;
  std::shared_ptr<const CharSet> outside;
};
enum class AnchorEscape : std::uint8_t { kStart, kEnd };

using Escape = std::variant<char32_t, ClassEscape, AnchorEscape>;

struct EscapeContext {
  bool in_class = false;
  bool ignore_case = false;
  bool wide = false;  // RegexFlags::wide
};
// The cursor is after the backslash.
Result<Escape, GrammarError> ParseEscape(Cursor& cursor, EscapeContext context);

}  // namespace sglrun::grammar
