// The memory of results. All results of a record stay in memory until its row is written, and a
// short line can request very large lists of logprobs or hidden states. A record that exceeds the
// limit therefore fails alone, instead of the whole run.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "request/generate_request.h"
#include "request/record_error.h"

namespace sglrun::engine {

struct ResultExtent {
  std::int64_t prompt_tokens = 0;
  std::int64_t max_new_tokens = 0;
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
};

// Bytes of a result's lists at their longest, those of its row as text included.
std::int64_t MostResultBytes(const GenerateRequest& request, const ResultExtent& extent);

// The size of the row of a result without its lists, its text and its id.
inline constexpr std::int64_t kResultRowBytes = 320;

// The limit for the results of one record, the same on every machine.
inline constexpr std::int64_t kMostResultBytes = std::int64_t{512} << 20;

// Refuses a record whose results may exceed the limit, or have exceeded it.
Result<void, RecordError> CheckResultRoom(std::int64_t bytes, std::int64_t room = kMostResultBytes);

}  // namespace sglrun::engine
