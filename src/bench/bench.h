// `sglrun bench`: speed through the engine, or of the masks of constraints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "grammar_tools/line.h"
#include "serve/settings.h"

namespace sglrun::bench {

struct BenchSettings {
  serve::ServeSettings serve;
  std::string shape;  // of a model with random weights, in place of the files of one
  std::vector<std::int64_t> batch_sizes = {1, 8, 32, 64};
  std::vector<std::int64_t> prefill_lengths;  // empty: 512, or what fits
  std::int64_t prompt_tokens = 128;
  std::int64_t output_tokens = 64;
  std::int64_t repeat = 3;
  std::string constraints;  // a file of them: their masks are measured, and nothing else
  grammar_tools::LineOptions constraint_options;
  bool json = false;
};

// Gives the exit code, or why there was nothing to be measured.
Result<int> RunBench(const BenchSettings& settings);

}  // namespace sglrun::bench
