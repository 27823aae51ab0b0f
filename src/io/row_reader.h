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

class RowReader {
 public:
  static Result<std::unique_ptr<RowReader>> Open(const std::string& path, Compression compression);
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader();

  // The bytes of the row of entries[ordinal], line ends included; `entries` are all of the file's.
  Result<std::string> Read(std::span<const JournalEntry> entries, std::size_t ordinal);

  // Fails when a row is not the one that was written: somebody edited the file.
  Status CheckRows(std::span<const JournalEntry> entries);

 private:
  RowReader(std::string path, Compression compression, int fd)
      : path_(std::move(path)), compression_(compression), fd_(fd) {}
  Result<std::string> ReadBytes(std::int64_t begin, std::int64_t end) const;
  // Makes frame_ the one that holds the row.
  Status LoadFrame(std::span<const JournalEntry> entries, std::size_t ordinal);

  std::string path_;
  Compression compression_;
  int fd_;
  // The frame decompressed last: its end in the file, its first entry, where each row begins.
  std::string frame_;
  std::int64_t frame_end_ = -1;
  std::size_t frame_first_ = 0;
  std::vector<std::int64_t> row_begins_;
};

}  // namespace sglrun::io
