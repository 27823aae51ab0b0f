// Files that are written in one piece: a reader never sees half of one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun::cli {

// `what` names the file in the error: "cannot write the run file PATH: ...".
Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content);

}  // namespace sglrun::cli
