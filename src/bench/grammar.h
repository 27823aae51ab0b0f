// `bench --grammar FILE`: the cost of constrained decoding without the model. FILE holds lines of
// `grammar check`; their texts are decoded token by token under the masks.
#pragma once

#include "base/result.h"
#include "bench/bench.h"

namespace sglrun::bench {

Result<int> RunGrammarBench(const BenchSettings& settings);

}  // namespace sglrun::bench
