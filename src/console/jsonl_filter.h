// Common code of `tokenize`, `grammar check` and similar commands: one JSON value per input line,
// one per output line. An invalid line gives an error row; the other lines are processed.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "io/jsonl_reader.h"
#include "request/record_error.h"

namespace sglrun::console {

// One line of the input: its number, and its value or the error.
using LineVisitor = std::function<Status(std::int64_t number, const Result<Json, RecordError>&)>;
Status ForEachJsonLine(io::JsonlReader& reader, const JsonParseOptions& parse,
                       const LineVisitor& visit);

// Appends the answer to one value.
using LineAnswer = std::function<Result<void, RecordError>(const Json& line, JsonWriter& out)>;

struct FilterFiles {
  std::string input;         // a file or "-"
  std::string output = "-";  // compressed when its name says so
};
// Returns the exit code. `parse`: how lines are parsed.
Result<int> FilterJsonLines(const FilterFiles& files, const LineAnswer& answer,
                            const JsonParseOptions& parse = {});

}  // namespace sglrun::console
