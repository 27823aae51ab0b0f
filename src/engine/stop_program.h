// A stop pattern as a nondeterministic automaton over characters, shared by all searches for it.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/pcre2_ptr.h"
#include "engine/stop_pattern_tree.h"

namespace sglrun::engine {

// As PCRE2 reads stop patterns, whole or in parts.
PcreCode CompileStopPattern(std::string_view pattern, std::uint32_t more_options, int& error,
                            std::size_t& offset);

class StopProgram {
 public:
  struct Step {
    enum class Kind : std::uint8_t { kAtom, kAssertion, kSplit, kMatch };
    Kind kind = Kind::kMatch;
    StopAssertion assertion = StopAssertion::kTextStart;
    std::uint32_t atom = 0;             // kAtom: index for Matches
    std::uint32_t next = 0, other = 0;  // other: of kSplit
  };

  // nullptr if ReadStopPattern does not support the pattern, or if it needs more steps per
  // character than allowed.
  static std::shared_ptr<const StopProgram> Make(std::string_view pattern);

  const std::vector<Step>& steps() const { return steps_; }
  std::uint32_t start() const { return start_; }
  bool Matches(std::uint32_t atom, char32_t character) const;
  bool IsWord(char32_t character) const { return Matches(word_atom_, character); }
  bool asks_for_words() const { return asks_for_words_; }        // \b or \B
  bool asks_for_text_end() const { return asks_for_text_end_; }  // $ or \Z

 private:
  struct Atom {
    std::bitset<128> ascii;  // the members below U+0080
    char32_t literal = 0;
    PcreCode code;  // absent for a literal
  };
  class Builder;

  StopProgram() = default;
  bool AddAtom(const StopAtom& atom);

  std::vector<Step> steps_;
  std::vector<Atom> atoms_;
  std::uint32_t start_ = 0;
  std::uint32_t word_atom_ = 0;
  bool asks_for_words_ = false;
  bool asks_for_text_end_ = false;
};

}  // namespace sglrun::engine
