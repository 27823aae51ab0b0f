// Pieces of walks over the trie of a vocabulary: the automata that walk, what they collect, and
// which subtrees they need not enter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grammar/byte_classes.h"
#include "grammar/matcher/program.h"
#include "grammar/vocabulary.h"

namespace sglrun::grammar {

// Collects the tokens of trie nodes that are met in preorder. Neighbours are one range, so that
// states which take nearly everything cost little.
class TokenRanges {
 public:
  explicit TokenRanges(const Vocabulary& vocabulary)
      : nodes_(vocabulary.nodes()), ids_(vocabulary.sorted_ids()) {}

  void Add(std::int32_t node) { Add(node, node + 1); }
  // The nodes [first, last).
  void Add(std::int32_t first, std::int32_t last) {
    const std::int32_t begin = nodes_[static_cast<std::size_t>(first)].first_token;
    const std::int32_t end = nodes_[static_cast<std::size_t>(last)].first_token;
    if (begin != end_) {
      Flush();
      begin_ = begin;
    }
    end_ = end;
  }
  std::vector<std::int32_t> Take() {
    Flush();
    return std::move(out_);
  }

 private:
  void Flush() { out_.insert(out_.end(), ids_.begin() + begin_, ids_.begin() + end_); }

  std::span<const Vocabulary::Node> nodes_;
  std::span<const std::int32_t> ids_;
  std::int32_t begin_ = 0, end_ = 0;
  std::vector<std::int32_t> out_;
};

inline StateId EndOfMachine(const Program& program, MachineId machine) {
  const auto next = static_cast<std::size_t>(machine) + 1;
  return next < program.machines.size() ? program.machines[next].start
                                        : static_cast<StateId>(program.states.size()) - 1;
}

// A deterministic machine of bytes as a table: the edges of a string's characters are many.
class Table {
 public:
  static constexpr std::int32_t kDead = -1;

  // The states [first, end) of the program; they lead to each other alone.
  Table(const Program& program, StateId first, StateId end)
      : first_(first), next_(static_cast<std::size_t>(end - first) * 256, kDead) {
    for (StateId s = first; s < end; ++s) {
      for (const Program::ByteEdge& edge : program.BytesOf(s)) {
        for (int byte = edge.first; byte <= edge.last; ++byte) {
          next_[At(s - first, static_cast<std::uint8_t>(byte))] = edge.target - first;
        }
      }
    }
  }

  std::int32_t Index(StateId state) const { return state - first_; }
  StateId State(std::int32_t index) const { return first_ + index; }
  std::int32_t Next(std::int32_t index, std::uint8_t byte) const { return next_[At(index, byte)]; }

 private:
  static std::size_t At(std::int32_t index, std::uint8_t byte) {
    return static_cast<std::size_t>(index) * 256 + byte;
  }

  StateId first_;
  std::vector<std::int32_t> next_;
};

// The states of a plain machine as those of a FrontierDfa.
struct TableWalk {
  static constexpr std::int32_t kDead = Table::kDead;

  std::int32_t Next(std::int32_t from, std::uint8_t byte) const { return table.Next(from, byte); }
  bool Left(std::int32_t at) const { return program.state(table.State(at)).accepting; }

  const Program& program;
  Table table;
};

// The bytes that keep a walk in its state, found for states that it often stays in.
class StayingClasses {
 public:
  template <class Walk>
  ByteClasses Of(std::int32_t state, Walk& walk) {
    constexpr int kOften = 16;
    const auto s = static_cast<std::size_t>(state);
    if (s >= states_.size()) states_.resize(s + 1);
    if (states_[s].visits < kOften && ++states_[s].visits == kOften) {
      states_[s].classes = Find(state, walk);
    }
    return states_[s].classes;
  }

 private:
  template <class Walk>
  static ByteClasses Find(std::int32_t state, Walk& walk) {
    ByteClasses stay = ~ByteClasses{0};
    for (int byte = 0; byte < 256; ++byte) {
      const auto b = static_cast<std::uint8_t>(byte);
      if (walk.Next(state, b) != state) stay &= ~ClassesOf(b);
    }
    return stay;
  }

  struct State {
    ByteClasses classes = 0;
    int visits = 0;
  };
  std::vector<State> states_;
};

// Texts through the members of a prefix code, from a state of it on.
class MemberWalk {
 public:
  struct Place {
    std::int32_t state = Table::kDead;
    std::int32_t members = 0;  // finished
  };

  MemberWalk(const Program& program, StateId state)
      : program_(program),
        table_(program, StartOf(program, state), EndOfMachine(program, MachineOf(program, state))),
        begin_{table_.Index(state), 0} {}

  Place begin() const { return begin_; }
  // Dead when the byte does not fit; at the start again behind a member.
  Place Next(Place from, std::uint8_t byte) const {
    const std::int32_t next = table_.Next(from.state, byte);
    if (next == Table::kDead) return {};
    if (program_.state(table_.State(next)).accepting) return {kStart, from.members + 1};
    return {next, from.members};
  }
  static bool Dead(Place place) { return place.state == Table::kDead; }
  // Only for places behind a byte: nothing leads back to a start otherwise.
  static bool AtStart(Place place) { return place.state == kStart; }

 private:
  static constexpr std::int32_t kStart = 0;

  static MachineId MachineOf(const Program& program, StateId state) {
    return program.state(state).machine;
  }
  static StateId StartOf(const Program& program, StateId state) {
    return program.machines[static_cast<std::size_t>(MachineOf(program, state))].start;
  }

  const Program& program_;
  Table table_;
  Place begin_;
};

}  // namespace sglrun::grammar
