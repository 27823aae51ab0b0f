// The file that rows are written to: plain, gzip or zstd by its name, or stdout. Compressed files
// are a sequence of complete gzip members or zstd frames, one for each Flush, so that a kill loses
// only what was not flushed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun::io {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// By the ending of the name: ".gz", ".zst".
Compression CompressionOf(std::string_view path);

// One complete gzip member or zstd frame; the bytes themselves for kNone.
std::string Compress(std::string_view bytes, Compression compression);
// The inverse, for one or several of them in a row.
Result<std::string> Decompress(std::string_view bytes, Compression compression);

class OutputFile {
 public:
  // Keeps the first `offset` bytes of the file and cuts off what follows; 0 begins again. "-" is
  // stdout, where nothing is cut.
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path, Compression compression,
                                                  std::int64_t offset = 0);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // drops what was not flushed

  // Gathers bytes in memory.
  void Append(std::string_view bytes) { buffer_ += bytes; }
  std::size_t buffered() const { return buffer_.size(); }

  // Writes the buffered bytes to the file. A full disk, a closed pipe and similar errors return the
  // message of the system; the file then ends in an incomplete row, and every later Flush fails
  // too.
  Status Flush();

  // Flushes and syncs the file to disk, so that it survives a power failure. Has no effect on
  // pipes.
  Status Sync();

  // Size of the file up to the last Flush.
  std::int64_t tell() const { return offset_; }
  // Whether a Flush failed because the reader closed the pipe.
  bool broken_pipe() const { return broken_pipe_; }

 private:
  OutputFile(std::string path, Compression compression, int fd, std::int64_t offset)
      : path_(std::move(path)), compression_(compression), fd_(fd), offset_(offset) {}
  Status Write(std::string_view bytes);

  std::string path_;
  Compression compression_;
  int fd_;
  std::int64_t offset_;
  std::string buffer_;
  bool failed_ = false;
  bool broken_pipe_ = false;
};

}  // namespace sglrun::io
