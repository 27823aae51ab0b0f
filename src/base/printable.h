// Text of strangers (of records, files, options, models), fit to be shown to a person: a terminal
// must not obey it and a reader must not be deceived by it. Valid UTF-8 always.
#pragma once

#include <string>
#include <string_view>

namespace sglrun {

// For one line: control characters, and those that nobody sees or that turn the direction of the
// text, as \u{1B}.
std::string Printable(std::string_view text);

// For text of several lines in any script: newlines and tabs stay, and what scripts and emoji are
// spelled with (joiners, marks of direction). What turns the direction of other text does not.
std::string PrintableText(std::string_view text);

}  // namespace sglrun
