// How many characters can lead from a state of an automaton to the end of a member. With these
// sets, a bound on the length of texts needs no copies of the automaton: a counter and the sets
// determine whether a text can still end within the bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "grammar/automaton/work.h"

namespace sglrun::grammar {

// An automaton over characters or over bytes. An edge out of an inner state continues with a
// character that has begun; any other edge begins one. Inner states lead to others without a cycle.
struct LengthGraph {
  std::vector<std::uint32_t> begin{0};  // edges of state s: [begin[s], begin[s + 1])
  std::vector<std::int32_t> targets;
  std::vector<std::uint8_t> accepting, inner;

  std::size_t state_count() const { return accepting.size(); }
  void EndState(bool accepts, bool is_inner);

  static LengthGraph OfCharacters(const Dfa& chars);
  static LengthGraph OfBytes(const Dfa& countable);  // as ToCountableUtf8 gives it

 private:
  void AddState(const Dfa::State& state, bool is_inner);
};

class LengthSets {
 public:
  // Lengths up to `most`. Nothing when that passes a limit of `work`.
  static std::optional<LengthSets> Of(const LengthGraph& graph, std::int64_t most, Work& work);

  // Whether some length in [least, most] leads from the state to the end of a member.
  bool Any(std::size_t state, std::int64_t least, std::int64_t most) const;
  // From this length on, a state has all lengths or none.
  std::int64_t horizon() const { return horizon_; }
  // All states have all lengths from the horizon on.
  bool endless() const { return endless_; }
  std::size_t MemoryBytes() const {
    return runs_.capacity() * sizeof(Run) + begin_.capacity() * sizeof(std::uint32_t);
  }

 private:
  class Finder;
  struct Run {
    std::int32_t first = 0, last = 0;  // inclusive
  };
  static constexpr std::int32_t kEndless = 0x7FFFFFFF;

  std::vector<Run> runs_;             // of each state in order
  std::vector<std::uint32_t> begin_;  // runs of state s: [begin_[s], begin_[s + 1])
  std::int64_t horizon_ = 0;
  bool endless_ = false;
};

}  // namespace sglrun::grammar
