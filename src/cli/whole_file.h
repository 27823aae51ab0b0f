// Small files that are there whole or not at all: a full disk or a kill leaves what was there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun::cli {

// In the place of any file of that name. `what` begins the sentence of a failure: "the run file".
Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content);

// Refuses a name that is taken.
Status WriteNewFile(std::string_view what, const std::string& path, std::string_view content);

}  // namespace sglrun::cli
