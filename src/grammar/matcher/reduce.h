// Makes machines smaller: what the subset construction leaves of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/automaton/sequence_pool.h"
#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Brings edges[from, end) into canonical order: sorted, distinct, neighbouring ranges of bytes to
// one target joined.
void JoinFrom(std::size_t from, std::vector<Machine::Edge>& edges);

// Without states that lead nowhere or are not reached.
Machine Trim(Machine machine);

// Merges states that spell the same: all of them where nothing loops, and those that do not lead
// back to themselves in any case. `loops`: the states of the result that do and may equal others.
// `scratch`: memory to use.
Machine MergeFromTheEnd(Machine machine, std::vector<std::int32_t>& loops, SequencePool& scratch);

// Whether some state may spell the same as one of `loops`, of a deterministic machine; false is
// sure. If none does, MergeFromTheEnd has left nothing to merge: of two states that spell the same
// but are not merged, some text leads to two of which one loops.
bool MayMergeLoops(const Machine& machine, std::span<const std::int32_t> loops);

// The same as MergeFromTheEnd for a deterministic machine with loops. Gives up on machines that
// need very many rounds.
Machine MergeLoops(Machine machine);

}  // namespace sglrun::grammar
