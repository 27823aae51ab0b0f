// File names as typed after a command, and their completion with the tab key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::chat {

// The whole text is one name, blanks included. It may be quoted, which allows blanks. A ~ at its
// beginning is the home folder, also in quotes ("./~" is a file of that name).
Result<std::string> TypedFileName(std::string_view text);

// Names that can be typed and begin with `beginning`, folders with a / at the end.
std::vector<std::string> FilesBeginningWith(std::string_view beginning);

}  // namespace sglrun::chat
