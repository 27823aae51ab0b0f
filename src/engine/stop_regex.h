// One stop_regex of a request, searched in a text that grows at its end. Python's re.search in
// PCRE2's words: UTF mode with Unicode classes, not multiline, ^ is the start of the output and $
// its current end.
//
// Most patterns are followed by an automaton that reads each character once (stop_automaton.h).
// Other patterns (back-references, lookaround, atomic groups, ...) are searched by PCRE2, with a
// budget that all searches of a record share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/stop_automaton.h"

namespace sglrun::engine {

// The budget of all PCRE2 searches of one record. A step is one item of the pattern tried at one
// place, or one character passed. The count depends only on pattern and text, not on the machine or
// its speed.
class StopBudget {
 public:
  static constexpr std::int64_t kSteps = 20'000'000;

  explicit StopBudget(std::int64_t steps = kSteps) : left_(steps) {}
  // False when the budget is used up.
  bool Spend(std::int64_t steps) { return (left_ -= steps) >= 0; }

 private:
  std::int64_t left_;
};

class StopRegex {
 public:
  static Result<StopRegex> Compile(const std::string& pattern);

  const std::string& pattern() const;
  // Whether each character is read once, and no budget is used.
  bool is_linear() const { return automaton_.has_value(); }

  enum class Outcome : std::uint8_t {
    kNoMatch,
    kMatch,
    kLimit,    // the budget is used up
    kStopped,  // the process is to stop (base/stop_flag.h): not known
  };

  // `text` is valid UTF-8 and begins with the text of the search before.
  Outcome Search(std::string_view text, StopBudget& budget);

 private:
  friend class StopRegexes;
  struct Code;  // the compiled pattern: many searches may use it at once
  explicit StopRegex(std::shared_ptr<const Code> code);
  Outcome SearchByPcre(std::string_view text, StopBudget& budget);

  std::shared_ptr<const Code> code_;
  std::optional<StopAutomaton> automaton_;
  // The part that is not searched again: the characters that the automaton has read, or the text
  // before the first place at which PCRE2 may find a match.
  std::size_t done_ = 0;
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
