// Lines of one or several JSONL inputs, streamed: memory does not grow with the file. Files ending
// in anything are recognised by content: plain, gzip, zstd; "-" is stdin. A UTF-8 byte order mark
// at the start of a file is skipped, CRLF ends a line as LF does, blank lines are passed over but
// counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sglrun::io {

// Longest line that is read; a longer one becomes a record error and is skipped in bounded memory.
inline constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20;
// Longer lines count as long: they may have to wait until other records release memory.
inline constexpr std::size_t kLongLineBytes = std::size_t{1} << 20;

struct InputRecord {
  std::string file;        // as named on the command line
  std::int64_t line = 0;   // 1-based physical line of its file
  std::int64_t index = 0;  // 0-based number of the record over all inputs
  std::string text;        // without the line end
  bool too_long = false;   // text is empty then
};

struct ReaderOptions {
  std::size_t max_line_bytes = kMaxLineBytes;
  // While this is set, a reader that waits for a pipe or a terminal reports the end of the input.
  const std::atomic<bool>* stop = nullptr;
  bool lines_are_json = true;  // an input that is not JSON, such as HTML, is an error
};

class JsonlReader {
 public:
  // Opens the first input; a missing or unreadable one is an error naming it (all are checked).
  static Result<std::unique_ptr<JsonlReader>> Open(std::vector<std::string> inputs,
                                                   ReaderOptions options = {});
  virtual ~JsonlReader() = default;

  // The next record, nullopt at the end of the last input, an error when an input breaks off
  // (a damaged gzip stream, a read error).
  virtual Result<std::optional<InputRecord>> Next() = 0;

  // Called while a line is read, as soon as it is known to be long; reading continues afterwards.
  virtual void WhenLineIsLong(std::function<void()> callback) = 0;

  // Bytes of the inputs read so far, and in all (0 when unknown, as for stdin): for progress.
  virtual std::int64_t bytes_read() const = 0;
  virtual std::int64_t bytes_total() const = 0;
};

}  // namespace sglrun::io
