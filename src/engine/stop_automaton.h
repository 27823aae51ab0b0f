// The search for a stop pattern in a text that grows at its end: each character is read once, at a
// cost that the pattern alone bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/stop_program.h"

namespace sglrun::engine {

class StopAutomaton {
 public:
  explicit StopAutomaton(std::shared_ptr<const StopProgram> program)
      : program_(std::move(program)) {}

  // Reads what comes next, valid UTF-8. True when the text from its beginning to here, taken as a
  // whole, holds a match; then the search is over.
  bool Append(std::string_view text);

 private:
  // A place between two characters, or at an end of the text.
  struct Place {
    bool at_start = true;
    bool after_newline = false;
    bool after_word = false;
    bool at_end = false;
    bool before_newline = false;
    bool before_last_newline = false;  // no character follows that newline
    bool before_word = false;
  };
  using Steps = std::vector<std::uint32_t>;

  bool Read(char32_t character);
  bool MatchesHere();
  static bool Holds(StopAssertion assertion, const Place& place);
  bool Follow(const Steps& begins, const Place& place);
  void Consume(char32_t character, Steps& next);
  bool Visit(std::uint32_t step);
  void NewRound();

  std::shared_ptr<const StopProgram> program_;
  Place place_;
  Steps begins_;  // where the matches that have begun continue; a match may begin anywhere
  // The same, if the newline just read is the last character: $ and \Z hold before it.
  Steps last_begins_;
  bool matched_before_last_ = false;

  Steps pending_;                    // of Follow: steps to be looked at
  Steps atoms_;                      // of Follow: the steps that wait for a character
  std::vector<std::uint32_t> seen_;  // the round in which each step was visited
  std::uint32_t round_ = 0;
};

}  // namespace sglrun::engine
