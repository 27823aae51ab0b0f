// Which options ask for less of the memory that is missing.
#pragma once

#include <string_view>

#include "base/shortage.h"

namespace sglrun::cli {

// Continues the sentence of an Error or OutOfMemory; empty for kNone.
std::string_view AdviceFor(Shortage shortage);

}  // namespace sglrun::cli
