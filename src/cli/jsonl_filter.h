// The frame of `tokenize`, `grammar check` and the like: one JSON value a line in, one a line out.
// A bad line gives an error row and the rest goes on.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "io/jsonl_reader.h"
#include "request/record_error.h"

namespace sglrun::cli {

// One line of the input: its number, and its value or why it has none.
using LineVisitor = std::function<Status(std::int64_t number, const Result<Json, RecordError>&)>;
Status ForEachJsonLine(io::JsonlReader& reader, const JsonParseOptions& parse,
                       const LineVisitor& visit);

// Appends the answer to one value.
using LineAnswer = std::function<Result<void, RecordError>(const Json& line, JsonWriter& out)>;

struct FilterFiles {
  std::string input;         // a file or "-"
  std::string output = "-";  // compressed when its name says so
};
// Gives the exit code. `parse`: of the lines.
Result<int> FilterJsonLines(const FilterFiles& files, const LineAnswer& answer,
                            const JsonParseOptions& parse = {});

}  // namespace sglrun::cli
