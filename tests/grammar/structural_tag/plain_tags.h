// The meaning of a structural tag, said as plainly as possible: every way to divide a text among the
// formats is tried. Slow, small, and independent of src/grammar, which is tested against it. Knows
// the formats over text, with short patterns and no schemas.
#pragma once

#include <string>

#include "base/json.h"

namespace sglrun::grammar {

bool PlainAccepts(const Json& format, const std::string& text);

}  // namespace sglrun::grammar
