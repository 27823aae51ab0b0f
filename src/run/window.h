// The records between the source and the output: results come in any order, rows leave in the
// order of the input (or, with --order completion, as they finish).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "io/dialect/result_writer.h"
#include "io/dialect/row_builder.h"
#include "io/run_output.h"
#include "report/collector.h"
#include "request/generate_result.h"
#include "run/memory_budget.h"
#include "run/source.h"

namespace sglrun::run {

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
  // The collector receives every result of this run and every error row that is written.
  BatchWindow(const io::ResultWriter& writer, io::RunOutput& output, const Settings& settings,
              report::RunCollector& collector, std::shared_ptr<MemoryBudget> budget)
      : writer_(writer),
        output_(output),
        settings_(settings),
        collector_(collector),
        budget_(std::move(budget)) {}

  // Adds a record, which then waits for its results.
  Status Add(ReadyRecord record);
  // Adds one result and writes the rows that are complete.
  Status Finish(GenerateResult result);
  // Another result of the same record has failed, so this one need not be computed.
  bool IsFutile(std::uint64_t ticket);
  // In place of Finish for such a result.
  Status Skip(std::uint64_t ticket);

  // Writes what an unfinished result has so far; only for outputs without a journal.
  void ShowPartial(const GenerateResult& partial);

  bool empty() const { return slots_.empty(); }
  // Too many records wait for an earlier one.
  bool full() const;
  // The number of failed records has reached --max-errors: no more rows are written.
  bool TooManyFailed() const {
    return settings_.max_failed > 0 && counts_.new_failed >= settings_.max_failed;
  }
  // Bytes that were written to the output but not flushed.
  std::size_t unflushed_bytes() const { return unflushed_bytes_; }
  Status Flush();

  const BatchCounts& counts() const { return counts_; }

 private:
  // The results of a record so far.
  struct Gathered {
    explicit Gathered(const io::ResultWriter& writer) : row(writer) {}

    io::RowBuilder row;
    BatchCounts counts;
    report::ResultTally tally;  // where there is more than one result
  };
  struct Failure {
    std::size_t index = 0;  // in the record's results
    GenerateResult result;  // with its error, and its text so far
  };
  struct Slot {
    io::RowKey key;
    io::RowPlace place;
    std::string file;
    std::uint64_t first_ticket = 0;
    std::size_t results = 0;
    std::size_t missing = 0;          // results that are still missing
    std::int64_t expected_bytes = 0;  // upper bound for its rows without their texts
    std::int64_t text_bytes = 0;      // of the texts so far
    std::unique_ptr<Gathered> gathered;
    std::optional<Failure> failure;  // the failed result with the lowest index
    std::optional<RecordError> error;
    bool reuse = false;
    bool written = false;  // --order completion
    std::string row;       // once nothing is missing
    MemoryHold hold;
  };

  Slot& SlotOf(std::uint64_t ticket);
  Status Gather(Slot& slot, std::size_t item, GenerateResult result);
  void Fail(Slot& slot, std::size_t item, GenerateResult failed);
  void GiveUp(Slot& slot);
  Status OneLess(Slot& slot);
  Status Complete(Slot& slot);
  void MakeRow(Slot& slot);
  void MakeErrorRow(Slot& slot, RecordError error);
  Status WriteReady();
  Status WriteRow(Slot& slot);
  static report::RecordName NameOf(const Slot& slot);

  const io::ResultWriter& writer_;
  io::RunOutput& output_;
  const Settings settings_;
  report::RunCollector& collector_;
  const std::shared_ptr<MemoryBudget> budget_;
  std::deque<Slot> slots_;  // ascending tickets
  std::size_t unflushed_bytes_ = 0;
  BatchCounts counts_;
};

}  // namespace sglrun::run
