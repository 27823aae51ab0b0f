// Translates Oniguruma patterns to PCRE2. If both accept a spelling with different meanings, the
// spelling is replaced; if there is no equivalent, the pattern is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun::tokenizer {

// \s \S \w \W  -> explicit classes: PCRE2 counts U+180E as a space and no marks as word characters.
// \h \H        -> hexadecimal digits, as in Oniguruma (blanks in PCRE2).
// \p{Han}      -> \p{sc:Han}: PCRE2 would take the script extensions.
// \uHHHH       -> \x{HHHH}.
// Refused: set operations inside a class, {n,m}+ (a repeated repeat there, possessive in PCRE2),
// (?m) and (?s), \b \B \R \X \K, which differ or move the borders of a match.
Result<std::string> TranslatePattern(std::string_view pattern);

}  // namespace sglrun::tokenizer
