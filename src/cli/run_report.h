// What a batch run says at its end: one line for people, and OUT.run.json for programs.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/batch_window.h"
#include "cli/report/run_data.h"
#include "engine/engine.h"

namespace sglrun::cli {

struct RunOutcome {
  int exit_code = 0;
  bool finished = false;
  std::int64_t lines = 0;  // records of the whole input, other shards' included
  BatchCounts counts;
  double wall_s = 0;
  double load_s = 0;  // of these, until the model was ready
  std::int64_t peak_rss_bytes = 0;
};

// "300 records, 300 results, 0 failed, ..."
std::string SummaryLine(const RunOutcome& outcome);

// What OUT.run.json tells beside the outcome itself.
struct RunFacts {
  Json identity, options, sampling_defaults;
  std::string model_path, isa, started;  // started: UTC, ISO 8601
  std::int64_t threads = 0;
  engine::EngineOptions engine_options;
  engine::EngineStats engine_stats;
  report::RunData data;
};

// The content of OUT.run.json; the page of --report is made from it too.
Json RunFileJson(const RunOutcome& outcome, const RunFacts& facts);

}  // namespace sglrun::cli
