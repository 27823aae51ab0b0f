// One rule as an automaton whose edges take bytes, tokens, or whole members of other machines: a
// recursive transition network. Machines never stand for the empty text: where a call may be empty
// there is a way around it, so every call takes at least one symbol, and what was called at some
// place of the text can never return at the same place.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "grammar/grammar.h"
#include "grammar/limits.h"

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
  std::int32_t id = 0;

  static Symbol Bytes(std::uint8_t first, std::uint8_t last) { return {Kind::kBytes, first, last}; }
  static Symbol Of(Kind kind, std::int32_t id) { return {kind, 0, 0, id}; }

  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

// Between min and max (or kUnbounded) members of a machine, one after the other; min >= 1. Or one
// member that at most `max` tokens have a part in: node::TokenLimit.
struct Count {
  MachineId body = 0;
  std::int64_t min = 1, max = kUnbounded;
  bool of_tokens = false;

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
  struct State {
    std::vector<Edge> edges;
    bool accepting = false;

    friend bool operator==(const State&, const State&) = default;
  };
  std::vector<State> states{1};

  std::int32_t AddState() {
    states.emplace_back();
    return static_cast<std::int32_t>(states.size()) - 1;
  }
  void AddEdge(std::int32_t from, Symbol symbol, std::int32_t to) {
    states[static_cast<std::size_t>(from)].edges.push_back({symbol, to});
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
