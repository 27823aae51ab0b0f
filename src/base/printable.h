// Makes untrusted text (of records, files, options, models) safe to display: it must not control a
// terminal or mislead a reader. The result is always valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace sglrun {

// For one line: control characters, invisible characters and those that change the direction of
// text are written as \u{1B}.
std::string Printable(std::string_view text);

// For text of several lines in any script: newlines and tabs are kept, and so are characters that
// scripts and emoji need (joiners, marks of direction). Characters that change the direction of
// other text are escaped.
std::string PrintableText(std::string_view text);

}  // namespace sglrun
