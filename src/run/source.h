// The first half of a batch run, on its own thread: lines are read, parsed, checked and tokenized
// while the engine decodes earlier ones. The sequences of a record are created one by one, in the
// order of its results. A queue of bounded length and size holds the sequences that are ready, so
// memory depends neither on the size of the file nor on the number of results of a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/sequence.h"
#include "io/dialect/record.h"
#include "io/dialect/result_writer.h"
#include "io/jsonl_reader.h"
#include "io/run_output.h"
#include "run/input_index.h"
#include "run/memory_budget.h"
#include "run/settings.h"

namespace sglrun::run {

// A record that is being processed: a number of results, or an error, or a row of an earlier run.
struct ReadyRecord {
  io::RowKey key;
  io::RowPlace place;
  std::string file;                // as named on the command line
  std::uint64_t first_ticket = 0;  // its results carry this one and those that follow
  std::size_t results = 0;         // to come; 0 with an error or an old row
  std::optional<RecordError> error;
  bool reuse = false;
  std::int64_t result_bytes = 0;  // upper bound for its rows without their texts
};

// The next item: the start of a record, or the next result to compute, or both.
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
    std::shared_ptr<io::RecordParser> parser;
    // Of an input that was read before; null: all lines are parsed.
    std::shared_ptr<const InputIndex> index;
    const engine::Engine* engine = nullptr;
    bool flatten = false;  // --flatten
    // Whether an earlier run wrote the row of the record, and all files that this row names for
    // these results.
    std::function<bool(const ReadyRecord&, std::span<const std::size_t> with_hidden_states)>
        has_row;
    std::shared_ptr<MemoryBudget> budget;
  };

  BatchSource(const RecordSettings& settings, Parts parts);
  // Does not wait for a silent pipe.
  ~BatchSource();
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  // The next item: records in input order, each followed by its results. nullopt if nothing is
  // ready yet (after waiting for at most `patience`) or if all records were read.
  std::optional<ReadyItem> Next(std::chrono::milliseconds patience);

  // Whether nothing is ready, and the next record has yet to arrive.
  bool WaitsForInput() const;
  // There are no more records. status() then says whether the inputs were read to their end.
  bool Exhausted() const;
  Status status() const;

  // Lines so far, those of other shards included.
  std::int64_t lines_read() const;
  // All records so far and a hash of them.
  io::InputEnd input_end() const;
  // Fraction of the input bytes that was read; negative if the size is unknown.
  double FractionRead() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive a stopped run
};

}  // namespace sglrun::run
