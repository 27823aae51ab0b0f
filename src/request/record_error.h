// A record's own fault. It becomes an error row at the record's place and the run goes on.
#pragma once

#include <cstdint>
#include <string>

namespace sglrun {

// {"error":{"message","type","code","param","line"},"meta_info":{"id"}}.
struct RecordError {
  std::string message;     // value found, what was expected, the nearest known name
  std::string param = {};  // "sampling_params.top_p", "input_ids[3]"; "" when no field is to blame
  std::string type = "invalid_request_error";
  int code = 400;
};

// A fault inside the engine that only this record suffers from (NaN logits, no token allowed).
inline RecordError AbortedRecord(std::string message) {
  return RecordError{std::move(message), "", "aborted", 500};
}

}  // namespace sglrun
