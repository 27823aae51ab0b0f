// Converts sampling_params to SamplingParams: first stated values override the defaults, then the
// greedy rule is applied, then ranges are checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"
#include "request/sampling_params.h"

namespace sglrun::request {

struct SamplingContext {
  std::int64_t vocab_size = 0;  // 0: not known, ids are not checked against it
  bool compat_2024 = false;     // repetition_penalty 0 means 1, dtype "int" a regex
};

// Overrides `params` by the values in `object`. Null counts as not stated, except for
// max_new_tokens, where it means "as many as fit". Error messages begin with `path`:
// "sampling_params", "sampling_params[2]".
Result<void, RecordError> OverlaySamplingParams(const Json& object, std::string_view path,
                                                const SamplingContext& context,
                                                SamplingParams& params,
                                                std::vector<std::string>& warnings);

// Applies the greedy rule and the meaning of top_k -1, and checks every range.
Result<void, RecordError> FinishSamplingParams(std::string_view path, SamplingParams& params);

}  // namespace sglrun::request
