// Gathers what the report shows while a run continues, in bounded space: counts in bins, the
// slowest few results, and of each kind of error the first records.
//
//   RunCollector collector;
//   collector.AddStep(seconds_since_ready, engine.stats());      // after every step
//   collector.AddResult(name, result);                           // as they finish
//   collector.AddError(name, error);
//   Json report = ToJson(collector.Finish());
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/engine.h"
#include "report/run_data.h"
#include "report/timeline_recorder.h"
#include "request/generate_result.h"
#include "request/record_error.h"

namespace sglrun::report {

// Where a record stands, and what it calls itself.
struct RecordName {
  std::string_view file;
  std::int64_t line = 0;
  std::string_view id;
};

// Counts of lengths in bins that grow with the length: 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, ...
class LengthCounter {
 public:
  void Add(std::int64_t length);
  void Add(const LengthCounter& others);
  Lengths Finish() const;

 private:
  static constexpr std::size_t kBins = 126;  // up to 2^63

  Lengths totals_;
  std::array<std::int64_t, kBins> counts_ = {};
};

// What the report says about results. Those of a record with many are gathered apart until all of
// them are there: if one fails, none of them counts.
class ResultTally {
 public:
  static constexpr std::size_t kSlowest = 10;

  void Add(const RecordName& name, const GenerateResult& result);
  void Add(const ResultTally& others);

  const LengthCounter& prompt_lengths() const { return prompt_lengths_; }
  const LengthCounter& output_lengths() const { return output_lengths_; }
  const std::map<std::string, std::int64_t>& finish_reasons() const { return finish_reasons_; }
  const std::vector<SlowResult>& slowest() const { return slowest_; }

 private:
  bool IsSlow(double seconds) const;
  void AddSlow(SlowResult slow);

  LengthCounter prompt_lengths_, output_lengths_;
  std::map<std::string, std::int64_t> finish_reasons_;
  std::vector<SlowResult> slowest_;  // the slowest first
};

class RunCollector {
 public:
  static constexpr std::size_t kSlowest = ResultTally::kSlowest;
  static constexpr std::size_t kErrorKinds = 20;
  static constexpr std::size_t kRecordsOfAKind = 5;

  // `now`: seconds since the model was ready.
  void AddStep(double now, const engine::EngineStats& stats);
  void AddResult(const RecordName& name, const GenerateResult& result) {
    results_.Add(name, result);
  }
  void AddResults(const ResultTally& results) { results_.Add(results); }
  void AddError(const RecordName& name, const RecordError& error);

  RunData Finish() const;

 private:
  using KindKey = std::tuple<std::string, int, std::string>;  // type, code, param

  TimelineRecorder timeline_;
  engine::EngineStats before_;
  ResultTally results_;
  std::map<KindKey, ErrorKind> errors_;
  std::int64_t other_errors_ = 0;
};

}  // namespace sglrun::report
