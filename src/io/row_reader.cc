#include "io/row_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sglrun::io {

namespace {

bool IsOneLine(std::string_view row) {
  return row.ends_with('\n') && std::ranges::count(row, '\n') == 1;
}

Error ChangedError(const std::string& path) {
  return Error{"\"" + path + "\" was changed since its journal was written"};
}

}  // namespace

Result<std::unique_ptr<RowReader>> RowReader::Open(const std::string& path, Compression compression,
                                                   RowLines lines) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{"cannot read \"" + path + "\": " + std::strerror(errno)};
  return std::unique_ptr<RowReader>(new RowReader(path, compression, lines, fd));
}

RowReader::~RowReader() {
  close(fd_);
}

Result<std::string> RowReader::ReadBytes(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || end < begin) {
    return Error{"\"" + path_ + "\" and its journal do not fit together"};
  }
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count = pread(fd_, bytes.data() + got, bytes.size() - got,
                                static_cast<off_t>(begin + static_cast<std::int64_t>(got)));
    if (count == 0) return Error{"\"" + path_ + "\" is shorter than its journal says"};
    if (count > 0) {
      got += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return Error{"cannot read \"" + path_ + "\": " + std::strerror(errno)};
    }
  }
  return bytes;
}

Status RowReader::CheckRows(std::span<const JournalEntry> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    SGLRUN_RETURN_IF_ERROR(Read(entries, i));
  }
  return {};
}

Status RowReader::LoadFrame(std::span<const JournalEntry> entries, std::size_t ordinal) {
  const std::int64_t end = entries[ordinal].end;
  std::size_t first = ordinal;
  while (first > 0 && entries[first - 1].end == end) --first;
  SGLRUN_ASSIGN_OR_RETURN(const std::string bytes,
                          ReadBytes(first > 0 ? entries[first - 1].end : 0, end));
  auto frame = Decompress(bytes, compression_);
  if (!frame.ok()) return ChangedError(path_);
  frame_ = std::move(frame).value();
  frame_end_ = end;
  frame_first_ = first;
  row_begins_.clear();
  std::int64_t begin = 0;
  for (std::size_t i = first; i < entries.size() && entries[i].end == end; ++i) {
    row_begins_.push_back(begin);
    begin += entries[i].bytes;
  }
  if (begin != static_cast<std::int64_t>(frame_.size())) return ChangedError(path_);
  return {};
}

Result<std::string> RowReader::ReadPlain(std::span<const JournalEntry> entries,
                                         std::size_t ordinal) const {
  const JournalEntry& entry = entries[ordinal];
  const std::int64_t begin = ordinal > 0 ? entries[ordinal - 1].end : 0;
  if (entry.end - entry.bytes != begin) return ChangedError(path_);
  return ReadBytes(begin, entry.end);
}

Result<std::string> RowReader::ReadFromFrame(std::span<const JournalEntry> entries,
                                             std::size_t ordinal) {
  const JournalEntry& entry = entries[ordinal];
  if (frame_end_ != entry.end) SGLRUN_RETURN_IF_ERROR(LoadFrame(entries, ordinal));
  const auto begin = static_cast<std::size_t>(row_begins_[ordinal - frame_first_]);
  return frame_.substr(begin, static_cast<std::size_t>(entry.bytes));
}

Result<std::string> RowReader::Read(std::span<const JournalEntry> entries, std::size_t ordinal) {
  const bool plain = compression_ == Compression::kNone;
  SGLRUN_ASSIGN_OR_RETURN(std::string row,
                          plain ? ReadPlain(entries, ordinal) : ReadFromFrame(entries, ordinal));
  const bool as_written = RowCheck(row) == entries[ordinal].check;
  if (!as_written || (lines_ == RowLines::kOne && !IsOneLine(row))) return ChangedError(path_);
  return row;
}

}  // namespace sglrun::io
