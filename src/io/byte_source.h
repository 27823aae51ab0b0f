// The bytes of an input file or of stdin, decompressed when they begin like gzip or zstd. The name
// says nothing: "data.jsonl" may be compressed and "data.gz" plain.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace sglrun::io {

class ByteSource {
 public:
  // "-" is stdin. While `stop` (may be null) is set, a source that waits for a pipe or a terminal
  // ends instead. A file that holds no text, or where `lines_are_json` something else than JSON, is
  // an error that says what it is.
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path,
                                                  const std::atomic<bool>* stop,
                                                  bool lines_are_json);
  virtual ~ByteSource() = default;

  // Up to `size` bytes; 0 at the end. A damaged or truncated stream is an error naming the file,
  // after all bytes that came before the damage. Bytes after the end of a compressed stream that
  // are no further stream are passed over with a warning, as gzip does.
  virtual Result<std::size_t> Read(char* data, std::size_t size) = 0;

  // Whether Read gives the bytes of a file that can be read again at any offset.
  virtual bool is_as_stored() const { return false; }

  // Bytes taken from the file so far, compressed ones where it is compressed.
  virtual std::int64_t bytes_taken() const = 0;
};

// Whether `path` can be read as an input; the sentence says why not.
Status CheckReadable(const std::string& path);
// Size of a regular file, -1 of anything else.
std::int64_t RegularFileSize(const std::string& path);

}  // namespace sglrun::io
