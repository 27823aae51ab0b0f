// One rule as an automaton whose edges take bytes, tokens, or whole members of other machines: a
// recursive transition network. Machines never stand for the empty text: where a call may be empty
// there is a way around it, so every call takes at least one symbol, and what was called at some
// place of the text can never return at the same place.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "grammar/base/limits.h"
#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

using MachineId = std::int32_t;

struct Symbol {
  enum class Kind : std::uint8_t {
    kBytes,    // one byte of [first, last]
    kCall,     // a member of machine `id`
    kCount,    // `id` of Machines::counts
    kTokens,   // a token of expression `id`
    kNothing,  // in sketches only
  };
  Kind kind = Kind::kNothing;
  std::uint8_t first = 0, last = 0;
  std::int32_t id = 0;  // of bytes: 1 where they continue with a character that is counted

  static Symbol Bytes(std::uint8_t first, std::uint8_t last) { return {Kind::kBytes, first, last}; }
  static Symbol Of(Kind kind, std::int32_t id) { return {kind, 0, 0, id}; }

  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

// Between min and max (or kUnbounded) members of a machine, one after the other; min >= 1. Or one
// member that at most `max` tokens have a part in: node::TokenLimit. Or one member of between min
// and max characters: node::CharLimit. Or one member in which elements differ, or one such element.
struct Count {
  enum class Of : std::uint8_t { kMembers, kTokens, kChars, kDistinct, kElements };
  MachineId body = 0;
  std::int64_t min = 1, max = kUnbounded;
  Of of = Of::kMembers;

  friend auto operator<=>(const Count&, const Count&) = default;
};

// State 0 is the start. In a machine (as opposed to a sketch) no edge leads back to it, it does not
// accept, there are no kNothing edges, and an accepting state can be reached from everywhere.
struct Machine {
  struct Edge {
    Symbol symbol;
    std::int32_t target = 0;

    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  std::vector<std::uint32_t> begin{0};  // edges of state s: [begin[s], begin[s + 1])
  std::vector<Edge> edges;              // of each state sorted
  std::vector<std::uint8_t> accepting;

  std::size_t state_count() const { return accepting.size(); }
  std::span<const Edge> EdgesOf(std::size_t state) const {
    return std::span(edges).subspan(begin[state], begin[state + 1] - begin[state]);
  }
  // The edges added since the last one are those of the next state.
  void EndState(bool accepts) {
    begin.push_back(static_cast<std::uint32_t>(edges.size()));
    accepting.push_back(accepts ? 1 : 0);
  }

  friend bool operator==(const Machine&, const Machine&) = default;
};

struct Machines {
  std::vector<Machine> machines;
  std::vector<Count> counts;
  MachineId root = -1;  // -1: no text but the empty one
  bool empty_text = false;

  std::int32_t Intern(const Count& count);

 private:
  std::map<Count, std::int32_t> count_ids_;
};

using MachinesResult = Result<Machines, GrammarError>;

std::string ToString(const Machines& machines);

}  // namespace sglrun::grammar
