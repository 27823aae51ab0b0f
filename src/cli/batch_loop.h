// The main loop of `batch`: moves records from the source to the engine, and results from the
// engine to the output.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/result.h"
#include "cli/batch_source.h"
#include "cli/batch_window.h"
#include "cli/engine_pool.h"
#include "cli/memory_budget.h"
#include "cli/progress.h"
#include "cli/report/collector.h"
#include "cli/run_settings.h"
#include "cli/stopwatch.h"

namespace sglrun::cli {

class BatchLoop {
 public:
  // All arguments must outlive the loop.
  BatchLoop(const RunSettings& settings, BatchSource& source, EnginePool& engine,
            BatchWindow& window, report::RunCollector& collector, const MemoryBudget& budget);

  // Runs until all records have their rows, a signal asks to stop, or too many have failed.
  Status Run();

 private:
  Status RunSteps();
  Status Refill();
  bool HasRoomFor(const ReadyItem& item) const;
  Status Take(ReadyItem item);
  Status TakeResult(GenerateResult result);
  bool NeedsMore() const;
  bool MayLookAhead(int ahead);
  void ShowPartial(const GenerateResult& partial);
  Status FlushNowAndThen();
  void ShowProgress();

  const RunSettings& settings_;
  BatchSource& source_;
  EnginePool& engine_;
  BatchWindow& window_;
  report::RunCollector& collector_;
  const MemoryBudget& budget_;
  std::optional<ReadyItem> next_;                            // there was no room for it
  std::unordered_map<std::uint64_t, MemoryHold> in_flight_;  // of sequences, by ticket
  Progress progress_;
  const double flush_seconds_;
  bool constrained_ahead_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_flush_ = Clock::now();
};

}  // namespace sglrun::cli
