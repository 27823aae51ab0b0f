// Everything a result says, floats by their bits, so that equal texts are equal results. Left out
// is what may differ between two runs: time, and tokens taken from the cache.
#pragma once

#include <string>

#include "request/generate_result.h"

namespace sglrun::engine {

std::string ResultText(const GenerateResult& result);

}  // namespace sglrun::engine
