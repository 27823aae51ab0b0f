// The member `sglrun` that `sglrun number` adds to each line. It states what a process cannot know
// that reads only a part of the input, so that any part gives the rows of the whole:
//
//   {"sglrun":{"line":7,"copy":1},"text":"Hello"}
//
// `line`: number of the record over all inputs, from 1. `copy`: how many earlier records are equal.
// `again`: an earlier record has the same id. `file`, `file_line`: the place in the original input,
// unless it is line `line` of the only input. `format`: "openai" or "text", otherwise a record of
// /generate. A line that is not a JSON object is in `bytes`, a character for each byte; one that was
// too long is `too_long`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "io/dialect/line_format.h"
#include "request/record_error.h"

namespace sglrun::io {

struct RecordNumber {
  std::int64_t line = 0;
  std::uint32_t copy = 0;
  bool repeats_id = false;
  LineFormat format = LineFormat::kGenerate;
  std::string file = {};
  std::int64_t file_line = 0;
  std::optional<std::string> bytes = {};
  bool too_long = false;
};

// Takes the number out of an object; nullopt if it has none.
Result<std::optional<RecordNumber>, RecordError> TakeNumber(Json& object);

// `"sglrun":{...}`
std::string NumberMember(const RecordNumber& number);

}  // namespace sglrun::io
