// The records between the source and the output: results come in any order, rows leave in the
// order of the input (or, with --order completion, as they finish).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/batch_source.h"
#include "cli/report/collector.h"
#include "engine/result_room.h"
#include "io/result_writer.h"
#include "io/run_output.h"
#include "request/generate_result.h"

namespace sglrun::cli {

struct BatchCounts {
  std::int64_t records = 0;  // rows written or kept
  std::int64_t kept = 0;     // of these, rows that an earlier run left
  std::int64_t results = 0;  // of this run
  std::int64_t failed = 0;   // records, of this run and among the kept
  std::int64_t new_failed = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
};

class BatchWindow {
 public:
  struct Settings {
    io::RowOrder order = io::RowOrder::kInput;
    std::int64_t max_failed = 0;  // --max-errors, 0: any number
  };
  // The collector is told of every result of this run, and of every error row that is written.
  BatchWindow(const io::ResultWriter& writer, io::RunOutput& output, const Settings& settings,
              report::RunCollector& collector)
      : writer_(writer), output_(output), settings_(settings), collector_(collector) {}

  // Takes a record in that waits for so many results; the caller has taken its sequences out and
  // submits them.
  Status Add(ReadyRecord record, std::size_t results);
  // Takes one result and writes what can be written now.
  Status Finish(GenerateResult result);

  // Writes what an unfinished result has so far; only for outputs without a journal.
  void ShowPartial(const GenerateResult& partial);

  bool empty() const { return slots_.empty(); }
  // Too many records, or too many bytes, wait for an earlier one, or the results of those that run
  // may come to as much as there is room for.
  bool full() const;
  // So many records of this run have failed as may: no row is written any more.
  bool TooManyFailed() const {
    return settings_.max_failed > 0 && counts_.new_failed >= settings_.max_failed;
  }
  // Bytes that went to the output and were not flushed.
  std::size_t unflushed_bytes() const { return unflushed_bytes_; }
  Status Flush();

  const BatchCounts& counts() const { return counts_; }

 private:
  struct Slot {
    io::RowKey key;
    io::RowPlace place;
    std::string file;
    std::uint64_t first_ticket = 0;
    std::vector<GenerateResult> results;
    std::size_t missing = 0;        // results that are not there yet
    std::int64_t result_bytes = 0;  // at most, while any is missing
    std::optional<RecordError> error;
    bool reuse = false;
    bool written = false;  // --order completion
    std::string row;       // once nothing is missing
  };

  Slot& SlotOf(std::uint64_t ticket);
  Status Complete(Slot& slot);
  Status MakeRow(Slot& slot);
  void MakeErrorRow(Slot& slot, RecordError error);
  Status WriteReady();
  Status WriteRow(Slot& slot);
  void Count(const Slot& slot);
  static report::RecordName NameOf(const Slot& slot);

  const io::ResultWriter& writer_;
  io::RunOutput& output_;
  const Settings settings_;
  report::RunCollector& collector_;
  std::deque<Slot> slots_;           // ascending tickets
  std::size_t waiting_bytes_ = 0;    // of finished rows behind an unfinished one
  std::int64_t promised_bytes_ = 0;  // of results of unfinished records, at most
  const std::int64_t room_ = engine::RoomForResults();
  std::size_t unflushed_bytes_ = 0;
  BatchCounts counts_;
};

}  // namespace sglrun::cli
