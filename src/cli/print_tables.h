// The commands that print the tables of this program: fields, completion and the manual page.
#pragma once

#include "base/result.h"
#include "cli/options.h"

namespace sglrun::cli {

Result<int> RunFields(const Options& options);
Result<int> RunCompletion(const Options& options);
Result<int> RunMan(const Options& options);

}  // namespace sglrun::cli
