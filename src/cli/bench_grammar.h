// `bench --grammar FILE`: the cost of constrained decoding without the model. FILE holds lines of
// `grammar check`; their texts are decoded token by token under the masks.
#pragma once

#include "base/result.h"
#include "cli/options.h"

namespace sglrun::cli {

Result<int> RunGrammarBench(const Options& options);

}  // namespace sglrun::cli
