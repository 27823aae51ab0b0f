// Names of files as a person types them behind a command, and what the tab key makes of their
// beginnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::cli {

// The whole text is one name, blanks included. It may stand in quotes, and ~ at its beginning is the
// home folder, in quotes too: they are there for the blanks ("./~" is a file of that name).
Result<std::string> TypedFileName(std::string_view text);

// Names that can be typed and begin with `beginning`, folders with a / at the end.
std::vector<std::string> FilesBeginningWith(std::string_view beginning);

}  // namespace sglrun::cli
