// The machines of a grammar in flat arrays: what a Matcher runs. States of all machines are
// numbered through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "grammar/automaton/length_sets.h"
#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

using StateId = std::int32_t;

struct Program {
  struct ByteEdge {
    std::uint8_t first = 0, last = 0;  // inclusive
    StateId target = 0;
  };
  struct Call {
    MachineId machine = 0;
    StateId target = 0;
    bool last = false;  // nothing can follow in this machine: the callee may return for it
  };
  struct TokenEdge {
    std::int32_t set = 0;
    StateId target = 0;
  };
  struct State {
    std::int32_t bytes = 0, calls = 0, counts = 0, tokens = 0;  // begins; ends are the next state's
    MachineId machine = 0;
    bool accepting = false;
    bool counts_chars = false;  // its machine is the body of limits on characters
    bool inner = false;         // its bytes continue with a character
  };
  struct TokenSet {
    std::vector<std::int32_t> ids;  // sorted
    bool excluded = false;
    bool Contains(std::int32_t id) const;
  };
  struct CountEdge {
    MachineId body = 0;
    std::int64_t min = 1, max = kUnbounded;
    StateId target = 0;
    // The start of a copy of the body that ends as soon as it can; -1 but where `max` tokens may
    // have a part in one member.
    StateId closing = -1;
    // Where characters are limited: into `length_sets`, by state of the body; else -1.
    std::int32_t lengths = -1;
    bool distinct = false;  // of the body, elements differ
    bool element = false;   // of the member whose elements differ

    bool of_tokens() const { return closing >= 0; }
    bool of_chars() const { return lengths >= 0; }
    bool of_values() const { return distinct || element; }
  };
  struct MachineInfo {
    StateId start = 0;
    // Bytes alone, deterministic, and nothing may follow a member: its members are a prefix code,
    // so a text is a run of members in at most one way.
    bool prefix_code = false;
    bool plain = false;            // bytes alone, and deterministic
    bool has_token_limit = false;  // some count of tokens has it as its body
    Hash128 content;               // of a plain one: equal for equal machines
  };

  std::vector<State> states;  // one more than there are: ends of the last
  std::vector<ByteEdge> byte_edges;
  std::vector<Call> calls;
  std::vector<CountEdge> count_edges;
  std::vector<TokenEdge> token_edges;
  std::vector<TokenSet> token_sets;
  std::vector<LengthSets> length_sets;
  std::vector<MachineInfo> machines;  // first calls go to higher numbers
  MachineId root = -1;
  bool empty_text = false;
  bool has_token_limits = false;
  bool has_distinct = false;

  const State& state(StateId s) const { return states[static_cast<std::size_t>(s)]; }
  std::span<const ByteEdge> BytesOf(StateId s) const {
    return Slice(byte_edges, state(s).bytes, state(s + 1).bytes);
  }
  std::span<const Call> CallsOf(StateId s) const {
    return Slice(calls, state(s).calls, state(s + 1).calls);
  }
  std::span<const CountEdge> CountsOf(StateId s) const {
    return Slice(count_edges, state(s).counts, state(s + 1).counts);
  }
  std::span<const TokenEdge> TokensOf(StateId s) const {
    return Slice(token_edges, state(s).tokens, state(s + 1).tokens);
  }
  // Whether the body of a limit on characters, in this state after `done` of them, can come to an
  // end within the limit after `more` others at least.
  bool CanEnd(const CountEdge& limit, StateId at, std::int64_t done, std::int64_t more = 0) const {
    const StateId start = machines[static_cast<std::size_t>(limit.body)].start;
    return LengthsOf(limit).Any(static_cast<std::size_t>(at - start),
                                std::max(limit.min - done, more), limit.max - done);
  }
  const LengthSets& LengthsOf(const CountEdge& limit) const {
    return length_sets[static_cast<std::size_t>(limit.lengths)];
  }
  std::size_t MemoryBytes() const;

 private:
  template <class T>
  static std::span<const T> Slice(const std::vector<T>& values, std::int32_t begin,
                                  std::int32_t end) {
    return {values.data() + begin, static_cast<std::size_t>(end - begin)};
  }
};

// Requires RemoveLeftRecursion to have been called.
Program Flatten(const Machines& machines, const Grammar& grammar);

}  // namespace sglrun::grammar
