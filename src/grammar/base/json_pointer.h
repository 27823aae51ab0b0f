// JSON pointers (RFC 6901), as messages name places.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::grammar {

// A key as a step of a JSON pointer.
std::string EscapePointerStep(std::string_view key);

}  // namespace sglrun::grammar
