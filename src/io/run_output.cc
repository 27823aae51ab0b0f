#include "io/run_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/byte_source.h"

namespace sglrun::io {
namespace {

namespace fs = std::filesystem;

// What is gathered before it is written, when the caller does not flush earlier.
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

std::string RebuiltPath(const std::string& path) {
  return path + ".new";
}

std::string DroppedRowsPath(const std::string& path) {
  return path + ".dropped";
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void Remove(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) return Error{"cannot rename \"" + from + "\" to \"" + to + "\": " + code.message()};
  return {};
}

// Before the journal is opened, so that the sentence is about the output. The output itself is only
// opened under the journal's lock.
Status CheckWritable(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const bool writable = Exists(path) ? access(path.c_str(), W_OK) == 0
                                     : access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (!writable) return Error{"cannot write \"" + path + "\": " + std::strerror(errno)};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Error{"cannot write \"" + path + "\": it is a directory"};
  }
  return {};
}

// A link is followed once, so that a rebuilt output replaces the file and not the link.
std::string ResolveLink(const std::string& path) {
  std::error_code code;
  if (!fs::is_symlink(path, code)) return path;
  const fs::path resolved = fs::weakly_canonical(path, code);
  return code ? path : resolved.string();
}

// Rows of errors, and all rows of --order completion, tell their line.
bool FitsLine(const JournalEntry& row, const RowKey& place, RowOrder order) {
  return row.line == place.line || (!row.failed && order == RowOrder::kInput);
}

// Rebuilding ends with two renames, of the output and then of its journal. A kill between them
// leaves the second one to the next run.
Status FinishRename(const std::string& path) {
  const std::string rebuilt = RebuiltPath(path);
  const std::string journal = JournalPath(rebuilt);
  if (!Exists(journal) || Exists(rebuilt)) return {};
  return Rename(journal, JournalPath(path));
}

}  // namespace

bool IsLooseOutput(const std::string& path) {
  std::error_code ignored;
  if (path == "-") return true;
  return Exists(path) && !fs::is_directory(path, ignored) && RegularFileSize(path) < 0;
}

std::vector<std::string> FilesBeside(const std::string& output_path) {
  const std::string path = ResolveLink(output_path);
  const std::string rebuilt = RebuiltPath(path);
  return {JournalPath(path), rebuilt, JournalPath(rebuilt), DroppedRowsPath(path)};
}

RunOutput::RunOutput(RunOutputOptions options)
    : options_(std::move(options)), compression_(CompressionOf(options_.path)) {}

RunOutput::~RunOutput() {
  // A new output that never began leaves no trace: its journal was there for the lock only.
  if (begins_anew_ && RegularFileSize(JournalPath(options_.path)) == 0) {
    Remove(JournalPath(options_.path));
  }
}

Result<std::unique_ptr<RunOutput>> RunOutput::Open(RunOutputOptions options) {
  const bool loose = IsLooseOutput(options.path);
  if (!loose) options.path = ResolveLink(options.path);
  std::unique_ptr<RunOutput> output(new RunOutput(std::move(options)));
  if (loose) {
    SGLRUN_ASSIGN_OR_RETURN(output->file_,
                            OutputFile::Open(output->options_.path, output->compression_));
  } else {
    SGLRUN_RETURN_IF_ERROR(output->OpenJournaled());
  }
  return output;
}

Status RunOutput::OpenJournaled() {
  const std::string& path = options_.path;
  const std::string journal_path = JournalPath(path);
  SGLRUN_RETURN_IF_ERROR(FinishRename(path));
  const std::int64_t size = std::max<std::int64_t>(RegularFileSize(path), 0);
  const auto refuse = [&path](const std::string& why) {
    return Error{"\"" + path + "\" " + why +
                 "; name another output, or begin anew with --overwrite"};
  };
  if (size > 0 && !options_.overwrite && !Exists(journal_path)) {
    return refuse("exists and has no journal, so it cannot be continued");
  }
  SGLRUN_RETURN_IF_ERROR(CheckWritable(path));
  SGLRUN_ASSIGN_OR_RETURN(journal_, JournalWriter::Open(journal_path));
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
  const bool all_again = options_.retry_errors && !serves && !Exists(RebuiltPath(path));
  if (!difference.empty() && size > 0 && !all_again) {
    const std::string other = "belongs to another run (" + difference + ")";
    if (!options_.retry_errors) return refuse(other);
    return refuse(other + ", whose served rows --retry-errors would keep; repeat its settings");
  }
  if (!difference.empty()) return BeginAnew();
  SGLRUN_RETURN_IF_ERROR(GoOn(*std::move(contents)));
  return FoldRebuilt();
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
  Remove(JournalPath(RebuiltPath(options_.path)));
  Remove(RebuiltPath(options_.path));
  SGLRUN_ASSIGN_OR_RETURN(file_, OutputFile::Open(options_.path, compression_));
  return {};
}

Status RunOutput::GoOn(JournalContents contents) {
  if (!contents.entries.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(const auto reader, RowReader::Open(options_.path, compression_));
    const Status rows = reader->CheckRows(contents.entries);
    if (!rows.ok()) {
      return Error{rows.error().message +
                   ", so it cannot be continued; name another output, or begin anew with "
                   "--overwrite"};
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
  // The journal first: a rebuilt output without one is nothing, a journal without output is the
  // mark of an unfinished rename.
  Remove(JournalPath(path));
  Remove(path);
  return {};
}

Status RunOutput::AppendMissingRows(const JournalContents& rebuilt) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<RowReader> reader,
                          RowReader::Open(RebuiltPath(options_.path), compression_));
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
  SGLRUN_ASSIGN_OR_RETURN(reader_, RowReader::Open(options_.path, compression_));
  old_journal_ = std::move(journal_);
  SGLRUN_ASSIGN_OR_RETURN(file_, OutputFile::Open(path, compression_));
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

Status RunOutput::ReplaceOld() {
  const std::string rebuilt = RebuiltPath(options_.path);
  SGLRUN_RETURN_IF_ERROR(Rename(rebuilt, options_.path));
  SGLRUN_RETURN_IF_ERROR(Rename(JournalPath(rebuilt), JournalPath(options_.path)));
  reader_.reset();
  old_journal_.reset();
  return {};
}

std::string RunOutput::DroppedPath() const {
  return DroppedRowsPath(options_.path);
}

Status RunOutput::KeepDroppedRows() {
  std::unique_ptr<OutputFile> dropped;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // One that another row of the same record replaced, then or now, is no loss.
    if (used_[i] || replaced_[i] || FindRow(rows_[i].key) != &rows_[i]) continue;
    if (dropped == nullptr) {
      const std::int64_t end = std::max<std::int64_t>(RegularFileSize(DroppedPath()), 0);
      SGLRUN_ASSIGN_OR_RETURN(dropped, OutputFile::Open(DroppedPath(), Compression::kNone, end));
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::string row, reader_->Read(rows_, i));
    dropped->Append(row);
    ++dropped_rows_;
    if (dropped->buffered() >= kFlushBytes) SGLRUN_RETURN_IF_ERROR(dropped->Flush());
  }
  return dropped == nullptr ? Status() : dropped->Sync();
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
