// No file that a command writes may be one that it reads, or another that it writes, under whatever
// name: standard input, output and error count too. Each can be written where it is named, and the
// run file and the report replace nothing but others of their kind. Checked before the first is
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
