// The front half of a batch run, on a thread of its own: lines are read, parsed, checked and
// tokenized while the engine decodes earlier ones. What is ready waits in a queue of bounded length
// and size, so that memory does not grow with the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "engine/sequence.h"
#include "io/jsonl_reader.h"
#include "io/record.h"
#include "io/result_writer.h"
#include "io/run_output.h"

namespace sglrun::cli {

// A record on its way: sequences to be run, or an error, or a row of an earlier run.
struct ReadyRecord {
  io::RowKey key;
  io::RowPlace place;
  std::string file;                // as named on the command line
  std::uint64_t first_ticket = 0;  // its results carry this one and those that follow
  std::vector<std::unique_ptr<engine::Sequence>> sequences;
  std::optional<RecordError> error;
  bool reuse = false;
  std::size_t bytes = 0;          // of its line
  std::int64_t result_bytes = 0;  // of its results, at most
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
  };

  BatchSource(const Options& options, Parts parts);
  // Does not wait for a pipe that says nothing.
  ~BatchSource();
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  // The next record in input order; nullopt when there is none yet (after waiting for at most
  // `patience`) or none any more.
  std::optional<ReadyRecord> Next(std::chrono::milliseconds patience);

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
