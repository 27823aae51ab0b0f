// One stop_regex of a request, searched in a text that grows at its end. Python's re.search in
// PCRE2's words: UTF mode with Unicode classes, not multiline, ^ is the start of the output and $
// its current end.
#pragma once

#include <cstddef>
#include <memory>
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

  const std::string& pattern() const { return pattern_; }

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
  struct Code;
  StopRegex();
  std::string pattern_;
  std::unique_ptr<Code> code_;
  std::size_t resume_ = 0;  // no match begins before this offset
};

}  // namespace sglrun::engine
