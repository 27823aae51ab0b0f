// Values that rows of every dialect hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "request/generate_result.h"
#include "request/record_error.h"

namespace sglrun::io {

// Valid UTF-8, whatever the text is.
void WriteText(JsonWriter& w, const std::string& text);
void WriteLogprob(JsonWriter& w, std::optional<float> logprob);  // null when there is none
void WriteGrammar(JsonWriter& w, const GrammarResult& grammar);  // the member "grammar"

template <class T>
void WriteIntegers(JsonWriter& w, const std::vector<T>& values) {
  w.BeginArray();
  for (const T value : values) w.Int(value);
  w.EndArray();
}

// The member "error" of an error row, key included. It names the line, and its file unless `file`
// is "".
void WriteErrorMember(JsonWriter& w, const RecordError& error, std::int64_t line,
                      const std::string& file = "");

// The members "line" and, unless `file` is "", "file".
void WriteInputPlace(JsonWriter& w, std::int64_t line, const std::string& file);

}  // namespace sglrun::io
