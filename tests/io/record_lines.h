// Lines read as records: for tests of what comes of them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "io/dialect/record.h"

namespace sglrun::io {

inline constexpr std::int64_t kVocab = 1000;

inline RecordOptions Options() {
  RecordOptions options;
  options.vocab_size = kVocab;
  return options;
}

inline Result<Record, RecordFailure> Parse(const std::string& text,
                                           RecordOptions options = Options()) {
  RecordParser parser(std::move(options));
  InputRecord line;
  line.line = 1;
  line.text = text;
  return parser.Parse(line);
}

inline Record Good(const std::string& text, RecordOptions options = Options()) {
  INFO(text);
  auto result = Parse(text, std::move(options));
  if (!result.ok()) FAIL(result.error().error.message);
  return std::move(result).value();
}

inline RecordError Bad(const std::string& text, RecordOptions options = Options()) {
  INFO(text);
  const auto result = Parse(text, std::move(options));
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().error.code == 400);
  CHECK(result.error().rid != "");
  return result.error().error;
}

inline RecordError BadParams(const std::string& params) {
  return Bad(R"({"text":"a","sampling_params":)" + params + "}");
}

inline SamplingParams Params(const std::string& params, RecordOptions options = Options()) {
  return *Good(R"({"text":"a","sampling_params":)" + params + "}", std::move(options))
              .requests[0]
              .sampling;
}

}  // namespace sglrun::io
