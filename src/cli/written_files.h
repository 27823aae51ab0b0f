// No file that a command writes may be one that it reads, or another that it writes, each can be
// written where it is named, and a report replaces nothing but a page: checked before the first is
// opened.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace sglrun::cli {

// Where the account of a run goes: --run-file, or OUT.run.json; "" when there is to be none.
std::string RunFilePath(const Options& options);

Status CheckWrittenFiles(const Options& options, Command command);

}  // namespace sglrun::cli
