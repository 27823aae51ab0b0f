// `sglrun tokenize` and `sglrun detokenize`: texts to token ids and back, line by line.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/settings.h"

namespace sglrun::inspect {

struct TokenizeSettings {
  serve::ServeSettings serve;
  std::string input = "-";
  bool count = false;            // of tokenize: how many there are, in place of the ids
  bool clean_up_spaces = false;  // of detokenize
};

// Give the exit code, or why there was nothing to be done.
Result<int> RunTokenize(const TokenizeSettings& settings);
Result<int> RunDetokenize(const TokenizeSettings& settings);

}  // namespace sglrun::inspect
