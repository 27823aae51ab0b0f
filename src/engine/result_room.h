// The memory that results take. The results of a record wait for one another, since its row is
// written whole, and lists of logprobs or hidden states are what a short line can ask for without
// end: a record that asks for more than a record may fails alone, instead of the whole run.
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

// What the row of a result takes without its lists, its text and its id.
inline constexpr std::int64_t kResultRowBytes = 320;

// What the results of one record may take, on every machine.
inline constexpr std::int64_t kMostResultBytes = std::int64_t{512} << 20;

// Refuses a record whose results may take more, or turned out to.
Result<void, RecordError> CheckResultRoom(std::int64_t bytes, std::int64_t room = kMostResultBytes);

}  // namespace sglrun::engine
