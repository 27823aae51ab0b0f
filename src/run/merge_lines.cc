#include "run/merge_lines.h"

#include <charconv>
#include <filesystem>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "console/exit_codes.h"
#include "io/dialect/numbered_row.h"
#include "io/dialect/result_writer.h"
#include "io/dialect/side_files.h"
#include "io/jsonl_reader.h"
#include "io/new_output.h"
#include "io/output_paths.h"
#include "run/row_files.h"
#include "run/shard_output.h"

namespace sglrun::run {
namespace {

namespace fs = std::filesystem;

// The message names no more ranges of missing lines.
constexpr std::size_t kMostRanges = 20;

std::optional<std::int64_t> ParseCount(const std::string& text) {
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = code == std::errc() && end == text.data() + text.size() && count >= 0;
  return whole ? std::optional(count) : std::nullopt;
}

// --records: a number, or the file whose records were numbered.
Result<std::int64_t> CountRecords(const std::string& records) {
  if (const auto count = ParseCount(records)) return *count;
  SGLRUN_ASSIGN_OR_RETURN(const auto reader,
                          io::JsonlReader::Open({records}, {.lines_are_json = false}));
  for (std::int64_t count = 0;; ++count) {
    SGLRUN_ASSIGN_OR_RETURN(const auto record, reader->Next());
    if (!record) return count;
  }
}

// A pattern such as rows/* also names what `batch` writes beside its rows.
std::vector<std::string> RowFilesAmong(const std::vector<std::string>& paths) {
  std::set<std::string> beside;
  for (const std::string& path : paths) {
    for (const std::string& file : io::FilesBeside(path)) beside.insert(file);
    beside.insert(io::RunFilePath(path));
    beside.insert(io::SideFolder(path));
  }
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!beside.contains(path)) files.push_back(path);
  }
  return files;
}

class LineMerge {
 public:
  LineMerge(const MergeSettings& settings, std::int64_t records)
      : output_(settings.output),
        files_(RowFilesAmong(settings.inputs), FolderOf(settings.output)),
        rows_(static_cast<std::size_t>(records)) {}

  Status Read() {
    for (std::uint32_t file = 0; file < files_.paths().size(); ++file) {
      const auto visit = [this](std::string_view text, const StoredLine& place, bool ends) {
        return Take(text, place, ends);
      };
      SGLRUN_RETURN_IF_ERROR(files_.ForEachLine(file, visit));
    }
    return {};
  }

  // "3 to 7, 12"; "" if no line is missing.
  std::string Missing() const {
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t first = 0; first < rows_.size(); ++first) {
      if (IsThere(first)) continue;
      std::size_t last = first;
      while (last + 1 < rows_.size() && !IsThere(last + 1)) ++last;
      if (++ranges > kMostRanges) return text + " and more";
      if (!text.empty()) text += ", ";
      text += std::to_string(first + 1);
      if (last > first) text += " to " + std::to_string(last + 1);
      first = last;
    }
    return text;
  }

  Status Write() {
    SGLRUN_ASSIGN_OR_RETURN(const auto output, io::NewOutput::Open(output_));
    for (const StoredLine& line : rows_) {
      const std::string& path = files_.paths()[line.file];
      SGLRUN_ASSIGN_OR_RETURN(const std::string text, files_.Read(line));
      const auto row = io::TakeLine(text);
      if (!row) return Error{Quoted(path) + " was changed while it was read"};
      SGLRUN_ASSIGN_OR_RETURN(const std::string moved, MoveSideFiles(row->row, path));
      SGLRUN_RETURN_IF_ERROR(output->Append(moved));
    }
    if (!io::IsLooseOutput(output_)) io::RemoveFile(io::JournalPath(output_));
    return output->Finish();
  }

 private:
  static std::string FolderOf(const std::string& output) {
    const std::string folder = fs::path(output).parent_path().string();
    return io::IsLooseOutput(output) ? fs::temp_directory_path().string()
           : folder.empty()          ? "."
                                     : folder;
  }

  bool IsThere(std::size_t i) const { return rows_[i].bytes >= 0; }

  Status Take(std::string_view text, const StoredLine& place, bool ends) {
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    const auto row = io::TakeLine(text);
    if (!row && !ends) {
      LogWarning(files_.PlaceOf(place) + " is cut off and was passed over");
      return {};
    }
    if (!row) {
      return Error{
          files_.PlaceOf(place) + " is " + Json(std::string(text)).Excerpt() +
          ", must be a row that begins with {\"line\":, from a record that `sglrun number` "
          "numbered"};
    }
    if (row->line > static_cast<std::int64_t>(rows_.size())) {
      return Error{files_.PlaceOf(place) + " has the line " + std::to_string(row->line) +
                   ", but --records states " +
                   FormatCount(static_cast<std::int64_t>(rows_.size()), "record")};
    }
    StoredLine& known = rows_[static_cast<std::size_t>(row->line - 1)];
    if (known.bytes < 0) {
      known = place;
      return {};
    }
    return CheckRepeated(known, *row, place);
  }

  Status CheckRepeated(const StoredLine& known, const io::NumberedRow& row,
                       const StoredLine& place) {
    SGLRUN_ASSIGN_OR_RETURN(const std::string text, files_.Read(known));
    const auto before = io::TakeLine(text);
    if (before && io::AreEqualButForTiming(before->row, row.row)) return {};
    return Error{files_.PlaceOf(place) + " and " + files_.PlaceOf(known) +
                 " are different rows of line " + std::to_string(row.line)};
  }

  Result<std::string> MoveSideFiles(const std::string& row, const std::string& path) const {
    if (!io::IsLooseOutput(output_)) return io::BringSideFiles(row, path, output_);
    SGLRUN_RETURN_IF_ERROR(CheckSideFiles(path, row, output_));
    return row;
  }

  std::string output_;
  RowFiles files_;
  std::vector<StoredLine> rows_;  // by line
};

Status CheckLineSettings(const MergeSettings& settings) {
  if (settings.records.empty()) {
    return Error{
        "merge --lines needs --records N or --records FILE: without the number of records, rows "
        "that are missing at the end would not be noticed"};
  }
  if (settings.check) return Error{"merge --check works from journals; leave out --lines"};
  const bool there = !io::IsLooseOutput(settings.output) && io::FileExists(settings.output) &&
                     fs::file_size(settings.output) > 0;
  if (there && !settings.overwrite) {
    return Error{Quoted(settings.output) +
                 " exists; name another output, or replace it with --overwrite"};
  }
  return {};
}

}  // namespace

Result<int> MergeLines(const MergeSettings& settings) {
  SGLRUN_RETURN_IF_ERROR(CheckLineSettings(settings));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t records, CountRecords(settings.records));
  LineMerge merge(settings, records);
  SGLRUN_RETURN_IF_ERROR(merge.Read());
  if (const std::string missing = merge.Missing(); !missing.empty()) {
    LogError("no row for line " + missing + " of " + FormatCount(records) +
             " records; nothing was written");
    return console::kExitRecordErrors;
  }
  SGLRUN_RETURN_IF_ERROR(merge.Write());
  return console::kExitOk;
}

}  // namespace sglrun::run
