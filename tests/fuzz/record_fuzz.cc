// A line of anybody's making: it becomes valid requests or an error row, never anything else.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "io/dialect/record.h"
#include "io/dialect/result_writer.h"

namespace {

using sglrun::io::Record;
using sglrun::io::RecordFailure;

void CheckRecord(const Record& record) {
  CHECK(record.is_array || record.requests.size() == 1);
  CHECK(!record.rid.empty() || !record.requests.empty() || record.is_array);
  for (const sglrun::GenerateRequest& request : record.requests) {
    const bool ids = request.input_ids.has_value();
    const bool embeds = request.input_embeds != nullptr;
    CHECK(!request.text.empty() + ids + embeds == 1) << "exactly one prompt";
    CHECK(sglrun::IsValidUtf8(request.text));
    const sglrun::SamplingParams& sampling = *request.sampling;
    CHECK(sampling.top_p > 0 && sampling.top_p <= 1);
    CHECK(sampling.temperature >= 1e-6);
    CHECK(sampling.top_k >= 1 && sampling.top_k <= sglrun::kTopKAll);
    CHECK(sampling.n >= 1);
    CHECK(request.sample_index < sampling.n);
    CHECK(request.logprob_start_len >= -1);
  }
}

void CheckFailure(const RecordFailure& failure) {
  CHECK(!failure.error.message.empty());
  CHECK(failure.error.message.size() < 2000) << failure.error.message.size();
  std::string row;
  sglrun::io::ResultWriter({}).AppendErrorRow({1, failure.rid, failure.resume_key, false},
                                              failure.error, row);
  CHECK(sglrun::ParseJson(row).ok()) << row;
  CHECK(row.find('\n') == row.size() - 1);
}

// What was read prints to text that reads back to the same.
void CheckRoundTrip(const std::string& text) {
  const auto parsed = sglrun::ParseJson(text);
  if (!parsed.ok()) return;
  const std::string canonical = parsed->value.CanonicalDump();
  const auto again = sglrun::ParseJson(canonical);
  CHECK(again.ok()) << canonical;
  CHECK(again->value.CanonicalDump() == canonical);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sglrun::io::InputRecord line;
  line.line = 1;
  line.text.assign(reinterpret_cast<const char*>(data), size);
  for (const bool strict : {false, true}) {
    sglrun::io::RecordOptions options;
    options.vocab_size = 1000;
    options.strict = strict;
    if (strict) options.compat = sglrun::io::Compat::k2024;
    const auto result = sglrun::io::RecordParser(options).Parse(line);
    if (result.ok()) {
      CheckRecord(*result);
    } else {
      CheckFailure(result.error());
    }
  }
  CheckRoundTrip(line.text);
  return 0;
}
