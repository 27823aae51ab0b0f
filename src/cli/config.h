// Files of --config: YAML whose keys are the long option names, with - or _.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace sglrun::cli {

// Option and value pairs in the order of the file. An unknown key and a key of another command are
// errors, which suggest the nearest known key.
using ConfigValues = std::vector<std::pair<const OptionSpec*, std::string>>;
Result<ConfigValues> ReadConfig(const std::string& path, Command command);

// The option of `command` that was most likely meant by `name`, as "; did you mean ...?", or "".
std::string SuggestOption(std::string_view name, Command command);

}  // namespace sglrun::cli
