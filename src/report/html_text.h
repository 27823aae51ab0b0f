// Text that came from a record, a file name or an option, fit to stand on a page.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::report {

// Printable, and fit to stand in HTML, between tags or inside a quoted attribute.
std::string Html(std::string_view text);

}  // namespace sglrun::report
