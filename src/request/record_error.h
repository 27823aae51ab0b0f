// An error of one record. It becomes the error row of the record, and the run continues.
#pragma once

#include <cstdint>
#include <string>

namespace sglrun {

// {"error":{"message","type","code","param","line"},"meta_info":{"id"}}.
struct RecordError {
  std::string message;     // value found, what was expected, the nearest known name
  std::string param = {};  // "sampling_params.top_p", "input_ids[3]"; "" if no field is the cause
  std::string type = "invalid_request_error";
  int code = 400;
};

// An error inside the engine that affects only this record (NaN logits, no token allowed).
inline RecordError AbortedRecord(std::string message) {
  return RecordError{std::move(message), "", "aborted", 500};
}

}  // namespace sglrun
