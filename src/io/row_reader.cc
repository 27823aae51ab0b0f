#include "io/row_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sglrun::io {

namespace {

Error ChangedError(const std::string& path) {
  return Error{"\"" + path + "\" was changed since its journal was written"};
}

}  // namespace

Result<std::unique_ptr<RowReader>> RowReader::Open(const std::string& path,
                                                   Compression compression) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{"cannot read \"" + path + "\": " + std::strerror(errno)};
  return std::unique_ptr<RowReader>(new RowReader(path, compression, fd));
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
  return {};
}

Result<std::string> RowReader::Read(std::span<const JournalEntry> entries, std::size_t ordinal) {
  const JournalEntry& entry = entries[ordinal];
  std::string row;
  if (compression_ == Compression::kNone) {
    SGLRUN_ASSIGN_OR_RETURN(row, ReadBytes(entry.end - entry.bytes, entry.end));
  } else {
    if (frame_end_ != entry.end) SGLRUN_RETURN_IF_ERROR(LoadFrame(entries, ordinal));
    const auto begin = static_cast<std::size_t>(row_begins_[ordinal - frame_first_]);
    if (begin <= frame_.size()) row = frame_.substr(begin, static_cast<std::size_t>(entry.bytes));
  }
  if (RowCheck(row) != entry.check) return ChangedError(path_);
  return row;
}

}  // namespace sglrun::io
