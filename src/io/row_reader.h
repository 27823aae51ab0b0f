// Rows of an output read back by the ordinal of their journal entry, from plain and compressed
// files. Reading in order is cheap: a frame is decompressed once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/journal.h"
#include "io/output_file.h"

namespace sglrun::io {

// How many lines the row of a record has.
enum class RowLines : std::uint8_t { kOne, kAny };  // kAny: --flatten, one for each result

class RowReader {
 public:
  static Result<std::unique_ptr<RowReader>> Open(const std::string& path, Compression compression,
                                                 RowLines lines = RowLines::kAny);
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader();

  // The bytes of the row of entries[ordinal], line ends included; `entries` are all of the file's.
  // Fails when they are not those that were written, and when the entries leave bytes out between
  // two rows or give bytes to two: no row stands in the file without a record.
  Result<std::string> Read(std::span<const JournalEntry> entries, std::size_t ordinal);

  // Fails when a row is not the one that was written: the file was edited.
  Status CheckRows(std::span<const JournalEntry> entries);

 private:
  RowReader(std::string path, Compression compression, RowLines lines, int fd)
      : path_(std::move(path)), compression_(compression), lines_(lines), fd_(fd) {}
  Result<std::string> ReadBytes(std::int64_t begin, std::int64_t end) const;
  Result<std::string> ReadPlain(std::span<const JournalEntry> entries, std::size_t ordinal) const;
  Result<std::string> ReadFromFrame(std::span<const JournalEntry> entries, std::size_t ordinal);
  // Makes frame_ the one that holds the row.
  Status LoadFrame(std::span<const JournalEntry> entries, std::size_t ordinal);

  std::string path_;
  Compression compression_;
  RowLines lines_;
  int fd_;
  // The frame decompressed last: its end in the file, its first entry, where each row begins.
  std::string frame_;
  std::int64_t frame_end_ = -1;
  std::size_t frame_first_ = 0;
  std::vector<std::int64_t> row_begins_;
};

}  // namespace sglrun::io
