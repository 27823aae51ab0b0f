// The escapes inside a quoted text of a template.
#pragma once

#include <string>
#include <string_view>

#include "jinja/fault.h"

namespace sglrun::jinja {

// `body`: what stands between the quotes.
Try<std::string> UnescapeLiteral(std::string_view body);

}  // namespace sglrun::jinja
