#include "io/run_output.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/same_file.h"
#include "io/byte_source.h"
#include "io/output_paths.h"

namespace sglrun::io {
namespace {

namespace fs = std::filesystem;

// What is gathered before it is written, when the caller does not flush earlier.
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

// Rows of errors, and all rows of --order completion, tell their line.
bool FitsLine(const JournalEntry& row, const RowKey& place, RowOrder order) {
  return row.line == place.line || (!row.failed && order == RowOrder::kInput);
}

// A rebuilt output keeps who may read the old one.
void CopyMode(const std::string& from, const std::string& to) {
  std::error_code ignored;
  const fs::perms mode = fs::status(from, ignored).permissions();
  if (!ignored && mode != fs::perms::unknown) fs::permissions(to, mode, ignored);
}

// Whether a text file is empty or ends with a newline.
bool EndsLine(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  char last = '\n';
  if (file && file.tellg() > 0) file.seekg(-1, std::ios::end).get(last);
  return last == '\n';
}

}  // namespace

std::int64_t LineOfFile(const std::string& file, std::int64_t line) {
  const std::uint64_t hash = HashBytes(std::to_string(line) + ":" + file).low;
  return static_cast<std::int64_t>(hash >> 1);
}

RunOutput::RunOutput(RunOutputOptions options)
    : options_(std::move(options)), compression_(CompressionOf(options_.path)) {}

RunOutput::~RunOutput() {
  // A new output that never began leaves no trace: its journal was there for the lock only.
  if (begins_anew_ && RegularFileSize(JournalPath(options_.path)) == 0) {
    RemoveFile(JournalPath(options_.path));
  }
}

Result<std::unique_ptr<RunOutput>> RunOutput::Open(RunOutputOptions options, JournalLock* lock) {
  const bool loose = IsLooseOutput(options.path);
  if (!loose) options.path = FollowLinks(options.path);
  std::unique_ptr<RunOutput> output(new RunOutput(std::move(options)));
  if (loose) {
    SGLRUN_ASSIGN_OR_RETURN(output->file_,
                            OutputFile::Open(output->options_.path, output->compression_));
  } else {
    JournalLock taken = JournalLock::kTaken;
    SGLRUN_RETURN_IF_ERROR(output->OpenJournaled(lock == nullptr ? taken : *lock));
  }
  return output;
}

Status RunOutput::CheckLock(JournalLock lock) const {
  if (lock != JournalLock::kUnsupported) return {};
  const std::string what =
      "\"" + JournalPath(options_.path) + "\" cannot be locked on this file system";
  if (options_.needs_lock) return Error{what + ", as --shard any/N needs; use --shard auto/N"};
  LogWarning(what + ": another process that writes the same output would not be noticed");
  return {};
}

Status RunOutput::OpenJournaled(JournalLock& lock) {
  const std::string& path = options_.path;
  const std::string journal_path = JournalPath(path);
  const auto refuse = [&path](const std::string& why) {
    return Error{"\"" + path + "\" " + why +
                 "; name another output, or start over with --overwrite"};
  };
  const bool has_journal = FileExists(journal_path) || HasUnfinishedRenames();
  if (RegularFileSize(path) > 0 && !options_.overwrite && !has_journal) {
    return refuse("exists and has no journal, so it cannot be continued");
  }
  SGLRUN_RETURN_IF_ERROR(CheckOutputWritable(path));
  SGLRUN_ASSIGN_OR_RETURN(journal_, JournalWriter::Open(journal_path, &lock));
  SGLRUN_RETURN_IF_ERROR(CheckLock(lock));
  SGLRUN_RETURN_IF_ERROR(FinishRenames());
  const std::int64_t size = std::max<std::int64_t>(RegularFileSize(path), 0);
  if (options_.overwrite) return BeginAnew();
  SGLRUN_ASSIGN_OR_RETURN(std::optional<JournalContents> contents, ReadJournal(journal_path, size));
  if (!contents.has_value()) {
    if (size > 0) return refuse("has a damaged journal, so it cannot be continued");
    return BeginAnew();
  }
  const std::string difference = DescribeDifference(contents->run, options_.run);
  const bool serves =
      std::ranges::any_of(contents->entries, [](const JournalEntry& row) { return !row.failed; });
  // Failed rows that are tried again hold no answer that other settings could contradict.
  const bool all_again = options_.retry_errors && !serves && !FileExists(RebuiltPath(path));
  if (!difference.empty() && size > 0 && !all_again) {
    const std::string other = "belongs to another run (" + difference + ")" + AdviceOn(*contents);
    if (!options_.retry_errors) return refuse(other);
    return refuse(other + ", and --retry-errors keeps its successful rows; use the same settings");
  }
  if (!difference.empty()) return BeginAnew();
  SGLRUN_RETURN_IF_ERROR(GoOn(*std::move(contents)));
  return FoldRebuilt();
}

std::string RunOutput::AdviceOn(const JournalContents& contents) const {
  const std::string advice = options_.advise ? options_.advise(contents.run) : "";
  return advice.empty() ? "" : "; " + advice;
}

bool RunOutput::HasUnfinishedRenames() const {
  const std::string rebuilt = RebuiltPath(options_.path);
  return FileExists(JournalPath(rebuilt)) && !FileExists(rebuilt);
}

// Rebuilding ends with renames, those of ReplaceOld. A kill between them leaves the rest to the
// next run, which holds the lock of the old journal, and from here on that of the new one.
Status RunOutput::FinishRenames() {
  if (!HasUnfinishedRenames()) return {};
  SGLRUN_ASSIGN_OR_RETURN(auto journal,
                          JournalWriter::Open(JournalPath(RebuiltPath(options_.path))));
  SGLRUN_RETURN_IF_ERROR(MoveBeside(*journal));
  journal_ = std::move(journal);
  return {};
}

Status RunOutput::BeginAnew() {
  begins_anew_ = true;
  return {};
}

Status RunOutput::BeginNow() {
  if (!begins_anew_) return {};
  begins_anew_ = false;
  // The journal first: without entries it promises nothing about the output.
  SGLRUN_RETURN_IF_ERROR(journal_->Begin(options_.run));
  RemoveRebuilt();
  SGLRUN_ASSIGN_OR_RETURN(file_, OutputFile::Open(options_.path, compression_));
  return {};
}

Result<std::unique_ptr<RowReader>> RunOutput::OpenReader(const std::string& path) const {
  return RowReader::Open(path, compression_, options_.lines);
}

Status RunOutput::GoOn(JournalContents contents) {
  if (!contents.entries.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(const auto reader, OpenReader(options_.path));
    const Status rows = reader->CheckRows(contents.entries);
    if (!rows.ok()) {
      return Error{
          rows.error().message +
          ", so it cannot be continued; name another output, or start over with --overwrite"};
    }
  }
  SGLRUN_RETURN_IF_ERROR(journal_->GoOn(contents.good_bytes));
  SGLRUN_ASSIGN_OR_RETURN(file_,
                          OutputFile::Open(options_.path, compression_, contents.output_end()));
  rows_ = std::move(contents.entries);
  marked_end_ = contents.finished;
  used_.assign(rows_.size(), false);
  replaced_.assign(rows_.size(), false);
  BuildIndex();
  return {};
}

// Sorted by key, then served before failed and late before early, so that the first of each key is
// the one to use.
void RunOutput::BuildIndex() {
  by_key_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) by_key_[i] = static_cast<std::uint32_t>(i);
  std::sort(by_key_.begin(), by_key_.end(), [this](std::uint32_t a, std::uint32_t b) {
    if (rows_[a].key != rows_[b].key) return rows_[a].key < rows_[b].key;
    return rows_[a].failed != rows_[b].failed ? rows_[b].failed : a > b;
  });
  const auto same_key = [this](std::uint32_t a, std::uint32_t b) {
    return rows_[a].key == rows_[b].key;
  };
  by_key_.erase(std::unique(by_key_.begin(), by_key_.end(), same_key), by_key_.end());
}

const JournalEntry* RunOutput::FindRow(const Hash128& key) const {
  const auto found = std::lower_bound(
      by_key_.begin(), by_key_.end(), key,
      [this](std::uint32_t ordinal, const Hash128& wanted) { return rows_[ordinal].key < wanted; });
  if (found == by_key_.end() || rows_[*found].key != key) return nullptr;
  return &rows_[*found];
}

// A run that was killed while it rebuilt the output left rows in OUT.new. They are appended to OUT,
// where they wait to be found by their keys.
Status RunOutput::FoldRebuilt() {
  const std::string path = RebuiltPath(options_.path);
  const std::int64_t size = RegularFileSize(path);
  if (size > 0) {
    SGLRUN_ASSIGN_OR_RETURN(const std::optional<JournalContents> rebuilt,
                            ReadJournal(JournalPath(path), size));
    if (rebuilt.has_value() && DescribeDifference(rebuilt->run, options_.run).empty()) {
      SGLRUN_RETURN_IF_ERROR(AppendMissingRows(*rebuilt));
      SGLRUN_RETURN_IF_ERROR(Flush());
      const std::int64_t folded_size = file_->tell();
      SGLRUN_ASSIGN_OR_RETURN(std::optional<JournalContents> folded,
                              ReadJournal(JournalPath(options_.path), folded_size));
      if (folded.has_value()) SGLRUN_RETURN_IF_ERROR(GoOn(*std::move(folded)));
    }
  }
  RemoveRebuilt();
  return {};
}

// The rows last: a rebuilt output without a journal is nothing, while a journal without its rows is
// the mark of unfinished renames.
void RunOutput::RemoveRebuilt() const {
  const std::string path = RebuiltPath(options_.path);
  RemoveFile(DroppedRowsPath(path));
  RemoveFile(JournalPath(path));
  RemoveFile(path);
}

Status RunOutput::AppendMissingRows(const JournalContents& rebuilt) {
  SGLRUN_ASSIGN_OR_RETURN(const auto reader, OpenReader(RebuiltPath(options_.path)));
  for (std::size_t i = 0; i < rebuilt.entries.size(); ++i) {
    const JournalEntry& row = rebuilt.entries[i];
    const JournalEntry* known = FindRow(row.key);
    const bool as_good =
        known != nullptr && (!known->failed || (row.failed && row.line == known->line));
    if (as_good) continue;
    SGLRUN_ASSIGN_OR_RETURN(const std::string bytes, reader->Read(rebuilt.entries, i));
    SGLRUN_RETURN_IF_ERROR(Write({row.key, row.index, row.line}, bytes, row.failed));
  }
  return {};
}

RowState RunOutput::Find(const RowKey& place) const {
  const JournalEntry* row = FindRow(place.key);
  if (row == nullptr || !FitsLine(*row, place, options_.order)) return RowState::kMissing;
  if (row->failed && options_.retry_errors) return RowState::kMissing;
  return row->failed ? RowState::kFailed : RowState::kServed;
}

Status RunOutput::Reuse(const RowKey& place) {
  const JournalEntry* row = FindRow(place.key);
  CHECK(row != nullptr) << "a row was reused that was not found";
  const auto ordinal = static_cast<std::size_t>(row - rows_.data());
  const bool same_place = row->index == place.index && row->line == place.line;
  used_[ordinal] = true;
  if (options_.order == RowOrder::kCompletion) {
    moved_ = moved_ || !same_place;
    rows_[ordinal].index = place.index;
    return {};
  }
  if (!rebuilding() && same_place && ordinal == in_place_) {
    ++in_place_;
    return {};
  }
  if (!rebuilding()) SGLRUN_RETURN_IF_ERROR(StartRebuild());
  return CopyRow(*row, place);
}

Status RunOutput::Append(const RowKey& place, std::string_view row, bool failed) {
  const bool old_rows_follow = options_.order == RowOrder::kInput && in_place_ < rows_.size();
  if (old_rows_follow && !rebuilding()) SGLRUN_RETURN_IF_ERROR(StartRebuild());
  if (const JournalEntry* old = FindRow(place.key)) {
    replaced_[static_cast<std::size_t>(old - rows_.data())] = true;
  }
  return Write(place, row, failed);
}

void RunOutput::AppendLoose(std::string_view bytes) {
  CHECK(!has_journal()) << "every byte of a journaled output belongs to a row";
  file_->Append(bytes);
}

Status RunOutput::Write(const RowKey& place, std::string_view row, bool failed) {
  SGLRUN_RETURN_IF_ERROR(BeginNow());
  file_->Append(row);
  if (has_journal()) {
    marked_end_.reset();
    pending_.push_back({place.key, place.index, place.line,
                        file_->tell() + static_cast<std::int64_t>(file_->buffered()),
                        static_cast<std::int64_t>(row.size()), failed, RowCheck(row)});
  }
  return file_->buffered() >= kFlushBytes ? Flush() : Status();
}

Status RunOutput::Flush() {
  if (begins_anew_) return {};
  SGLRUN_RETURN_IF_ERROR(file_->Flush());
  if (pending_.empty()) return {};
  if (compression_ != Compression::kNone) {  // all of them are in one frame
    for (JournalEntry& entry : pending_) entry.end = file_->tell();
  }
  SGLRUN_RETURN_IF_ERROR(journal_->Add(pending_));
  if (options_.order == RowOrder::kCompletion && !rebuilding()) {
    added_.insert(added_.end(), pending_.begin(), pending_.end());
  }
  pending_.clear();
  return {};
}

Status RunOutput::StartRebuild() {
  SGLRUN_RETURN_IF_ERROR(Flush());
  const std::string path = RebuiltPath(options_.path);
  SGLRUN_ASSIGN_OR_RETURN(reader_, OpenReader(options_.path));
  old_journal_ = std::move(journal_);
  RemoveFile(DroppedRowsPath(path));
  SGLRUN_ASSIGN_OR_RETURN(file_, OutputFile::Open(path, compression_));
  CopyMode(options_.path, path);
  SGLRUN_ASSIGN_OR_RETURN(journal_, JournalWriter::Open(JournalPath(path)));
  SGLRUN_RETURN_IF_ERROR(journal_->Begin(options_.run));
  return CopyRowsInPlace();
}

// kInput: the rows that were at their place so far; kCompletion: all that are used.
Status RunOutput::CopyRowsInPlace() {
  const bool by_use = options_.order == RowOrder::kCompletion;
  const std::size_t end = by_use ? rows_.size() : in_place_;
  for (std::size_t i = 0; i < end; ++i) {
    if (by_use && !used_[i]) continue;
    SGLRUN_RETURN_IF_ERROR(CopyRow(rows_[i], {rows_[i].key, rows_[i].index, rows_[i].line}));
  }
  return {};
}

Status RunOutput::CopyRow(const JournalEntry& row, const RowKey& place) {
  const auto ordinal = static_cast<std::size_t>(&row - rows_.data());
  SGLRUN_ASSIGN_OR_RETURN(const std::string bytes, reader_->Read(rows_, ordinal));
  return Write(place, bytes, row.failed);
}

// The journal's rename comes last: as long as it is missing the others are made up for.
Status RunOutput::ReplaceOld() {
  SGLRUN_RETURN_IF_ERROR(RenameFile(RebuiltPath(options_.path), options_.path));
  SGLRUN_RETURN_IF_ERROR(MoveBeside(*journal_));
  reader_.reset();
  old_journal_.reset();
  return {};
}

// Brings what lies beside the rebuilt output to its place beside OUT.
Status RunOutput::MoveBeside(JournalWriter& journal) const {
  const std::string dropped = DroppedRowsPath(RebuiltPath(options_.path));
  if (FileExists(dropped)) SGLRUN_RETURN_IF_ERROR(RenameFile(dropped, DroppedPath()));
  return journal.MoveTo(JournalPath(options_.path));
}

std::string RunOutput::DroppedPath() const {
  return DroppedRowsPath(options_.path);
}

// Together with those of earlier runs in a file of its own, which takes its name when the rebuilt
// output does: whenever a kill comes, each row is there once, and whole.
Status RunOutput::KeepDroppedRows() {
  std::unique_ptr<OutputFile> dropped;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // One that another row of the same record replaced, then or now, is no loss.
    if (used_[i] || replaced_[i] || FindRow(rows_[i].key) != &rows_[i]) continue;
    if (dropped == nullptr) {
      SGLRUN_ASSIGN_OR_RETURN(dropped, OpenDropped());
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::string row, reader_->Read(rows_, i));
    dropped->Append(row);
    ++dropped_rows_;
    if (dropped->buffered() >= kFlushBytes) SGLRUN_RETURN_IF_ERROR(dropped->Flush());
  }
  return dropped == nullptr ? Status() : dropped->Sync();
}

Result<std::unique_ptr<OutputFile>> RunOutput::OpenDropped() const {
  const std::string path = DroppedRowsPath(RebuiltPath(options_.path));
  std::int64_t end = 0;
  if (FileExists(DroppedPath())) {
    std::error_code code;
    fs::copy_file(DroppedPath(), path, fs::copy_options::overwrite_existing, code);
    if (code) return Error{"cannot copy \"" + DroppedPath() + "\": " + code.message()};
    end = RegularFileSize(path);
  }
  SGLRUN_ASSIGN_OR_RETURN(auto file, OutputFile::Open(path, Compression::kNone, end));
  if (!EndsLine(path)) file->Append("\n");
  return file;
}

Status RunOutput::Finish(const InputEnd& input) {
  SGLRUN_RETURN_IF_ERROR(BeginNow());
  SGLRUN_RETURN_IF_ERROR(Flush());
  if (!has_journal()) return {};
  const bool by_use = options_.order == RowOrder::kCompletion;
  rows_.insert(rows_.end(), added_.begin(), added_.end());
  used_.resize(rows_.size(), true);
  replaced_.resize(rows_.size(), false);
  added_.clear();
  const bool leftovers = by_use ? moved_ || std::count(used_.begin(), used_.end(), false) > 0
                                : in_place_ < rows_.size();
  if (leftovers && !rebuilding()) SGLRUN_RETURN_IF_ERROR(StartRebuild());
  SGLRUN_RETURN_IF_ERROR(Flush());
  // Once a run, so that a finished one survives a power cut, and so that a renamed file is whole
  // before its name is; at every flush it would cost more than the rows.
  SGLRUN_RETURN_IF_ERROR(file_->Sync());
  if (rebuilding() || marked_end_ != input) {
    SGLRUN_RETURN_IF_ERROR(journal_->AddFinished(input));
    SGLRUN_RETURN_IF_ERROR(journal_->Sync());
    marked_end_ = input;
  }
  if (!rebuilding()) return {};
  SGLRUN_RETURN_IF_ERROR(KeepDroppedRows());
  return ReplaceOld();
}

}  // namespace sglrun::io
