// Text for a terminal, broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sglrun::console {

// Breaks text at blanks so that no line is longer than `width`, each line indented.
std::string Wrap(std::string_view text, std::size_t indent, std::size_t width = 80);

}  // namespace sglrun::console
