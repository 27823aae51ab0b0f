// A machine in flat arrays, while it is made and reduced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

struct FlatMachine {
  using Edge = Machine::Edge;

  std::vector<std::size_t> begin{0};  // edges of state s: [begin[s], begin[s + 1])
  std::vector<Edge> edges;            // of each state as JoinFrom leaves them
  std::vector<std::uint8_t> accepting;

  std::size_t state_count() const { return accepting.size(); }
  std::span<const Edge> EdgesOf(std::size_t state) const {
    return std::span(edges).subspan(begin[state], begin[state + 1] - begin[state]);
  }
  void EndState(bool accepts) {
    begin.push_back(edges.size());
    accepting.push_back(accepts ? 1 : 0);
  }
};

// Brings edges[from, end) into canonical order: sorted, distinct, neighbouring ranges of bytes to
// one target joined.
void JoinFrom(std::size_t from, std::vector<Machine::Edge>& edges);

// Without states that lead nowhere or are not reached.
FlatMachine Trim(FlatMachine machine);

// Merges states that spell the same: all of them where nothing loops, and those that do not lead
// back to themselves in any case. `loops`: the states of the result that do and may equal others.
FlatMachine MergeFromTheEnd(FlatMachine machine, std::vector<std::int32_t>& loops);

// Whether some state takes the same symbols as one of `loops`, of a deterministic machine. If none
// does, MergeFromTheEnd has left nothing to merge: of two states that spell the same but are not
// merged, some text leads to two of which one loops.
bool MayMergeLoops(const FlatMachine& machine, std::span<const std::int32_t> loops);

// The same as MergeFromTheEnd for a deterministic machine with loops. Gives up on machines that
// need very many rounds.
FlatMachine MergeLoops(FlatMachine machine);

Machine ToMachine(const FlatMachine& machine);

}  // namespace sglrun::grammar
