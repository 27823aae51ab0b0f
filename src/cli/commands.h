// One function per command. Each returns the exit code, or an error, which main prints before it
// exits with code 2.
#pragma once

#include "base/result.h"
#include "cli/options.h"

namespace sglrun::cli {

Result<int> RunBatch(const Options& options);
Result<int> RunPlan(const Options& options);
Result<int> RunInspect(const Options& options);
Result<int> RunTokenize(const Options& options);
Result<int> RunDetokenize(const Options& options);
Result<int> RunTemplate(const Options& options);
Result<int> RunChat(const Options& options);
Result<int> RunGrammar(const Options& options);
Result<int> RunBench(const Options& options);
Result<int> RunMerge(const Options& options);
Result<int> RunReport(const Options& options);
Result<int> RunFields(const Options& options);
Result<int> RunCompletion(const Options& options);
Result<int> RunMan(const Options& options);

}  // namespace sglrun::cli
