// The main loop of `batch`: moves records from the source to the engine, and results from the
// engine to the output.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/result.h"
#include "console/progress.h"
#include "console/stopwatch.h"
#include "report/collector.h"
#include "run/memory_budget.h"
#include "run/settings.h"
#include "run/source.h"
#include "run/window.h"
#include "serve/engine_pool.h"

namespace sglrun::run {

class BatchLoop {
 public:
  // All arguments must outlive the loop.
  BatchLoop(const RunSettings& settings, BatchSource& source, serve::EnginePool& engine,
            BatchWindow& window, report::RunCollector& collector,
            const std::shared_ptr<MemoryBudget>& budget);

  // Runs until all records have their rows, a signal asks to stop, or too many have failed.
  Status Run();

 private:
  Status RunSteps();
  Status Refill();
  bool HasRoomFor(const ReadyItem& item);
  void CountConstraints();
  Status Take(ReadyItem item);
  Status TakeResult(GenerateResult result);
  bool NeedsMore() const;
  bool MayLookAhead(int ahead);
  void ShowPartial(const GenerateResult& partial);
  Status FlushNowAndThen();
  bool IsIdle() const;
  void ShowProgress();

  const RunSettings& settings_;
  BatchSource& source_;
  serve::EnginePool& engine_;
  BatchWindow& window_;
  report::RunCollector& collector_;
  const MemoryBudget& budget_;
  MemoryHold constraints_;         // what constraints take, of all sequences
  std::optional<ReadyItem> next_;  // there was no room for it
  std::unordered_map<std::uint64_t, MemoryHold> in_flight_;  // of sequences, by ticket
  console::Progress progress_;
  const double flush_seconds_;
  const bool answers_pipe_;  // whoever writes the input may wait for rows before it writes more
  bool constrained_ahead_ = false;
  const console::Clock::time_point start_ = console::Clock::now();
  console::Clock::time_point last_flush_ = console::Clock::now();
};

}  // namespace sglrun::run
