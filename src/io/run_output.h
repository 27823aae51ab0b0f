// The output of one run: rows in their file and their journal beside it, resumable after a kill at
// any moment. The caller walks over its records in input order and for each either reuses the row
// that an earlier run left or appends a new one:
//
//   SGLRUN_ASSIGN_OR_RETURN(auto output, RunOutput::Open({.path = "out.jsonl", .run = run}));
//   for (record) {
//     if (output->Find(place) != RowState::kMissing) output->Reuse(place);
//     else output->Append(place, row, failed);      // when its results are there
//   }
//   output->Flush();                                // often; what is flushed survives a kill
//   output->Finish(records);
//
// As long as the old rows are those of the records, in the same order, they stay where they are. At
// the first difference (edited input, a failed row tried again) the rows go into OUT.new, old ones
// copied, and Finish puts it in the place of OUT. A kill before that loses nothing: the next Open
// brings the rows of OUT.new into OUT. Rows of OUT that no record needs any more are added to
// OUT.dropped, by a copy of it, OUT.new.dropped, that takes its name together with OUT.new.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/result.h"
#include "io/journal.h"
#include "io/output_file.h"
#include "io/output_paths.h"
#include "io/row_reader.h"

namespace sglrun::io {

enum class RowOrder : std::uint8_t { kInput, kCompletion };
enum class RowState : std::uint8_t { kMissing, kServed, kFailed };

struct RunOutputOptions {
  std::string path;           // "-" and what is no regular file: no journal, nothing to resume
  Json run;                   // named values that must be the same when a run continues
  bool overwrite = false;     // begin again whatever is there
  bool retry_errors = false;  // failed rows count as missing
  RowOrder order = RowOrder::kInput;
  RowLines lines = RowLines::kAny;
  // Shards are taken by the lock of their journal, so the file system must support it.
  bool needs_lock = false;
  // What to do about a run that differs from the one of the output, whose named values it gets; may
  // be null, and may give "".
  std::function<std::string(const Json&)> advise = nullptr;
};

// Which record a row belongs to.
struct RowKey {
  Hash128 key;             // its resume key
  std::int64_t index = 0;  // number over all inputs
  // Physical line of its file, or LineOfFile() where rows name their file.
  std::int64_t line = 0;
};

// One number for a line and the file that it is in, for journals.
std::int64_t LineOfFile(const std::string& file, std::int64_t line);

class RunOutput {
 public:
  // Refuses, with a sentence, an output of another run, one without a journal and one that another
  // process is writing.
  // `lock`, if given, receives the state of the lock: kHeld if another process writes the output.
  static Result<std::unique_ptr<RunOutput>> Open(RunOutputOptions options,
                                                 JournalLock* lock = nullptr);
  RunOutput(const RunOutput&) = delete;
  RunOutput& operator=(const RunOutput&) = delete;
  ~RunOutput();  // drops what was not flushed

  // Rows that an earlier run left.
  std::size_t rows_found() const { return by_key_.size(); }

  // Whether such a row can be reused for this record. Rows that tell their line (error rows, and
  // all with kCompletion) only can where the line is the same.
  RowState Find(const RowKey& place) const;

  // Puts the old row at this record's place; Find must have found it. With kInput the calls of
  // Reuse and Append come in the order of the records.
  Status Reuse(const RowKey& place);
  // A new row; `row` holds its line ends (several with --flatten, none for an empty array).
  Status Append(const RowKey& place, std::string_view row, bool failed);
  // Bytes beside the records, as chunks of --stream-jsonl; only for outputs without a journal.
  void AppendLoose(std::string_view bytes);

  // Makes everything so far survive a kill.
  Status Flush();
  // All records have their rows: moves old rows that were not used out of the way and marks the
  // end.
  Status Finish(const InputEnd& input);
  // Rows of an earlier run that answer no record of this input. Finish has put them into
  // DroppedPath(): nothing that was computed is thrown away.
  std::int64_t dropped_rows() const { return dropped_rows_; }
  std::string DroppedPath() const;

  // Whether a write failed because the reader of the pipe is gone.
  bool broken_pipe() const { return file_ != nullptr && file_->broken_pipe(); }
  bool has_journal() const { return journal_ != nullptr; }

 private:
  explicit RunOutput(RunOutputOptions options);

  Status OpenJournaled(JournalLock& lock);
  Status CheckLock(JournalLock lock) const;
  std::string AdviceOn(const JournalContents& contents) const;
  bool HasUnfinishedRenames() const;
  Status FinishRenames();
  Status BeginAnew();
  Status BeginNow();
  Result<std::unique_ptr<RowReader>> OpenReader(const std::string& path) const;
  Status GoOn(JournalContents contents);
  Status FoldRebuilt();
  Status AppendMissingRows(const JournalContents& rebuilt);
  void BuildIndex();
  const JournalEntry* FindRow(const Hash128& key) const;
  bool rebuilding() const { return reader_ != nullptr; }

  Status StartRebuild();
  Status CopyRow(const JournalEntry& row, const RowKey& place);
  Status CopyRowsInPlace();
  Status KeepDroppedRows();
  Result<std::unique_ptr<OutputFile>> OpenDropped() const;
  Status ReplaceOld();
  Status MoveBeside(JournalWriter& journal) const;
  void RemoveRebuilt() const;
  Status Write(const RowKey& place, std::string_view row, bool failed);

  RunOutputOptions options_;
  Compression compression_;

  // Rows of OUT in file order, those of the earlier run. Find may be asked from another thread, so
  // nothing is added here before Finish.
  std::vector<JournalEntry> rows_;
  std::vector<JournalEntry> added_;     // kCompletion: those of this run
  std::vector<std::uint32_t> by_key_;   // their ordinals, sorted by key; the best row of each key
  std::optional<InputEnd> marked_end_;  // what the journal says about the end of the run
  std::size_t in_place_ = 0;            // kInput: so many rows are those of the first records
  std::vector<bool> used_;              // rows that belong to a record of this run
  std::vector<bool> replaced_;          // rows whose record got a new one
  bool moved_ = false;  // kCompletion: a row belongs to another record number than it did

  bool begins_anew_ = false;  // with the first row; until then nothing old is touched
  std::int64_t dropped_rows_ = 0;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<JournalWriter> journal_;
  std::vector<JournalEntry> pending_;  // rows in the file's buffer, not yet in the journal
  // While rows go to OUT.new: OUT's rows, and OUT's journal for its lock.
  std::unique_ptr<RowReader> reader_;
  std::unique_ptr<JournalWriter> old_journal_;
};

}  // namespace sglrun::io
