// `sglrun grammar check`: constraints and texts in, verdicts out, without a model.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "grammar_tools/line.h"
#include "serve/settings.h"

namespace sglrun::grammar_tools {

struct GrammarCheckSettings {
  serve::ServeSettings serve;  // its tokenizer, where one is given
  std::string input = "-", output = "-";
  LineOptions options;
  std::int64_t random_masks = 0;  // masks to be compared with texts, for each line
  std::int64_t sample = 0;        // members to be drawn, for each line
  std::int64_t seed = 42;
};

// Gives the exit code, or why there was nothing to be done.
Result<int> RunGrammar(const GrammarCheckSettings& settings);

}  // namespace sglrun::grammar_tools
