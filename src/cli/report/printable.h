// Text that came from a record, a file name or an option, fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::cli::report {

// Control characters, and those that nobody sees or that turn the direction of the text, as
// \u{1B}: a terminal must not obey them and a reader must not be deceived. Valid UTF-8 always.
std::string Printable(std::string_view text);

// Printable, and fit to stand in HTML, between tags or inside a quoted attribute.
std::string Html(std::string_view text);

}  // namespace sglrun::cli::report
