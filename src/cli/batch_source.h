// The front half of a batch run, on a thread of its own: lines are read, parsed, checked and
// tokenized while the engine decodes earlier ones. The sequences of a record are made one by one,
// in the order of its results; a few of what is ready wait in a queue of bounded length and size, so
// that memory grows neither with the file nor with what a line asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "cli/memory_budget.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "engine/sequence.h"
#include "io/dialect/record.h"
#include "io/dialect/result_writer.h"
#include "io/jsonl_reader.h"
#include "io/run_output.h"

namespace sglrun::cli {

// A record on its way: so many results, or an error, or a row of an earlier run.
struct ReadyRecord {
  io::RowKey key;
  io::RowPlace place;
  std::string file;                // as named on the command line
  std::uint64_t first_ticket = 0;  // its results carry this one and those that follow
  std::size_t results = 0;         // to come; 0 with an error or an old row
  std::optional<RecordError> error;
  bool reuse = false;
  std::int64_t result_bytes = 0;  // of its rows without their texts, at most
};

// The next thing that is ready: a record begins, or its next result can be worked on, or both.
struct ReadyItem {
  std::optional<ReadyRecord> record = {};
  std::uint64_t ticket = 0;  // of the result
  std::unique_ptr<engine::Sequence> sequence = {};
  std::optional<RecordError> failure = {};  // in place of a sequence
  MemoryHold hold = {};                     // of the sequence
};

class BatchSource {
 public:
  struct Parts {
    std::unique_ptr<io::JsonlReader> reader;
    io::RecordOptions record_options;
    const engine::Engine* engine = nullptr;
    // Whether an earlier run has left the record's row, and what it names beside it for these of
    // its results.
    std::function<bool(const ReadyRecord&, std::span<const std::size_t> with_hidden_states)>
        has_row;
    std::shared_ptr<MemoryBudget> budget;
  };

  BatchSource(const Options& options, Parts parts);
  // Does not wait for a pipe that says nothing.
  ~BatchSource();
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  // What is next, records in input order and each followed by its results; nullopt when there is
  // nothing yet (after waiting for at most `patience`) or nothing any more.
  std::optional<ReadyItem> Next(std::chrono::milliseconds patience);

  // No record will come any more. status() then tells whether the inputs were read to their end.
  bool Exhausted() const;
  Status status() const;

  // Lines so far, those of other shards included.
  std::int64_t lines_read() const;
  // All records so far and a hash of them.
  io::InputEnd input_end() const;
  // Share of the inputs' bytes that was read; negative when their size is unknown.
  double FractionRead() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive a stopped run
};

}  // namespace sglrun::cli
