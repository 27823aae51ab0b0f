// What a batch run says of itself: OUT.run.json for programs, from its beginning on, and at its end
// one line for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "engine/engine.h"
#include "report/run_data.h"
#include "run/shard.h"
#include "run/window.h"

namespace sglrun::run {

// kRunning is what the file of a killed run says, too.
enum class RunState : std::uint8_t { kRunning, kFinished, kStopped, kFailed };

struct RunOutcome {
  RunState state = RunState::kRunning;
  int exit_code = 0;       // once it does not run any more
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
  std::string model_path, isa, products, started;  // started: UTC, ISO 8601
  std::int64_t threads = 0;
  std::string launcher;  // RunSettings::launcher
  Shard shard;
  std::optional<engine::EngineOptions> engine_options;  // once there is an engine
  engine::EngineStats engine_stats;
  report::RunData data;
};

// The content of OUT.run.json; the page of --report is made from it too.
Json RunFileJson(const RunOutcome& outcome, const RunFacts& facts);

}  // namespace sglrun::run
