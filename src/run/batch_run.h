// One run on an open model: the records of one shard, their output, run file and report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "console/stopwatch.h"
#include "io/jsonl_reader.h"
#include "io/run_output.h"
#include "run/input_index.h"
#include "run/run_file.h"
#include "run/session.h"
#include "run/settings.h"
#include "run/source.h"
#include "run/window.h"

namespace sglrun::run {

// Whether the settings contradict each other in the form of the output.
Status CheckOutputForm(const RunSettings& settings);

class BatchRun {
 public:
  // `start`: where the time of the run begins. Settings and session must outlive the run.
  BatchRun(const RunSettings& settings, Session& session, console::Clock::time_point start);

  // Opens the output first. Gives the exit code.
  Result<int> Run(std::unique_ptr<io::JsonlReader> reader,
                  std::shared_ptr<const InputIndex> index = nullptr);

  // After an error: another process writes the output.
  bool is_held() const { return lock_ == io::JournalLock::kHeld; }
  bool is_finished() const { return outcome_.state == RunState::kFinished; }
  std::int64_t failed() const { return outcome_.counts.failed; }

 private:
  Status CollectFacts();
  Status OpenOutput();
  Result<int> Generate(BatchSource::Parts parts);
  Result<int> Serve(BatchSource::Parts parts);
  Status Close(const BatchSource& source, BatchWindow& window);
  void TellFailedStart();
  void TellSummary() const;
  bool RepeatsFinished() const;
  Status WriteAccount();

  const RunSettings& settings_;
  Session& session_;
  const console::Clock::time_point start_;
  io::JournalLock lock_ = io::JournalLock::kTaken;
  std::unique_ptr<io::RunOutput> output_;
  std::optional<Json> finished_before_;  // the run file as this run found it
  std::vector<std::string> new_files_;   // of the run file: it did not exist before this run
  RunOutcome outcome_;
  RunFacts facts_;
};

}  // namespace sglrun::run
