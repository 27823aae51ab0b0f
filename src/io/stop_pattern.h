// The check of stop_regex at request time, with the library that matches later.
#pragma once

#include <string_view>

#include "base/result.h"
#include "request/record_error.h"
#include "request/sampling_params.h"

namespace sglrun::io {

// Every pattern must compile as PCRE2 in UTF mode. `path` is that of the sampling_params.
Result<void, RecordError> CheckStopPatterns(const SamplingParams& params, std::string_view path);

}  // namespace sglrun::io
