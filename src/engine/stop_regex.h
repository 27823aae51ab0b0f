// One stop_regex of a request, searched in a text that grows at its end. Python's re.search in
// PCRE2's words: UTF mode with Unicode classes, not multiline, ^ is the start of the output and $
// its current end.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun::engine {

class StopRegex {
 public:
  static Result<StopRegex> Compile(const std::string& pattern);
  StopRegex(StopRegex&&) noexcept;
  StopRegex& operator=(StopRegex&&) noexcept;
  ~StopRegex();

  const std::string& pattern() const;

  enum class Growth {
    kAppendOnly,  // the next text begins with this one
    kTailMayChange,
  };
  enum class Outcome { kNoMatch, kMatch, kLimit };

  // `text` is valid UTF-8 and begins with every text that was searched as kAppendOnly. A search
  // begins where a match could still begin: earlier starts have failed without reaching the end,
  // so what is appended cannot help them (PCRE2's partial matching tells).
  Outcome Search(std::string_view text, Growth growth);

 private:
  friend class StopRegexes;
  struct Code;   // the compiled pattern: many searches may use it at once
  struct Match;  // what a search writes to
  explicit StopRegex(std::shared_ptr<const Code> code);

  std::shared_ptr<const Code> code_;
  std::unique_ptr<Match> match_;
  std::size_t resume_ = 0;  // no match begins before this offset
};

// The patterns that came last, compiled: the samples of a record, and most records of a file, stop
// at the same ones, and a compiled pattern may be a thousand times as long as it is written.
// Thread-safe.
class StopRegexes {
 public:
  Result<StopRegex> Make(const std::string& pattern);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const StopRegex::Code>> newest_;
};

}  // namespace sglrun::engine
