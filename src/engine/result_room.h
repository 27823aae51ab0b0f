// The memory that results take. The results of a record wait for one another, since its row is
// written whole, and lists of logprobs or hidden states are what a short line can ask for without
// end: a record that asks for more than there is fails alone, instead of the whole run.
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

// What the results of one record may take: half of the memory that is free now.
std::int64_t RoomForResults();

// Refuses a record whose results may take more.
Result<void, RecordError> CheckResultRoom(std::int64_t bytes, std::int64_t room);

}  // namespace sglrun::engine
