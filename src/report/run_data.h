// What a run says about its course: speed over time, lengths, ends, errors, the slowest results.
// The collector fills it while the run continues, OUT.run.json holds it, the page and the terminal
// show it. Its size has a bound, whatever the number of records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace sglrun::report {

// Sums over slices of time of equal width, from the moment the model was ready. The last slice
// ends early, at end_s.
struct Timeline {
  double slice_s = 0;
  double end_s = 0;
  std::vector<double> output_tokens, prompt_tokens;  // prompt tokens computed, cached ones are not
  std::vector<double> row_seconds;                   // sequences in the steps, times their duration

  // Seconds that slice i covers.
  double Covered(std::size_t i) const;
};

struct LengthBin {
  std::int64_t from = 0;
  std::int64_t to = 0;  // inclusive
  std::int64_t count = 0;
};

struct Lengths {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<LengthBin> bins;  // ascending, without gaps, from the shortest to the longest seen
};

struct NamedCount {
  std::string name;
  std::int64_t count = 0;
};

struct FailedRecord {
  std::string place;  // "prompts.jsonl:12"
  std::string id;
  std::string message;
};

// Errors that blame the same field in the same way.
struct ErrorKind {
  std::string type;
  std::int64_t code = 0;
  std::string param;  // list positions left out: "input_ids[]"; "" when no field is to blame
  std::int64_t count = 0;
  std::vector<FailedRecord> first;
};

struct SlowResult {
  std::string place;
  std::string id;
  double seconds = 0;  // from submission to the last token, waiting included
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string finish;
};

struct RunData {
  Timeline timeline;
  Lengths prompt_lengths, output_lengths;
  std::vector<NamedCount> finish_reasons;
  std::vector<ErrorKind> errors;    // the most frequent first
  std::int64_t other_errors = 0;    // of kinds beyond those
  std::vector<SlowResult> slowest;  // the slowest first
};

// Three decimals: enough for seconds and rates.
double Rounded(double value);

Json ToJson(const RunData& data);

}  // namespace sglrun::report
