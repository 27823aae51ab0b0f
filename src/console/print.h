// Standard output, for the commands whose results are small texts.
#pragma once

#include <string_view>

#include "base/result.h"

namespace sglrun::console {

// Writes all of it, or says why not. A closed pipe ends the program quietly (SIGPIPE).
Status Print(std::string_view text);

}  // namespace sglrun::console
