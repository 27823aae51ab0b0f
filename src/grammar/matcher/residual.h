// What can follow at a state of a program, apart from its callers: for states that bytes alone
// lead on from, which is where walking the vocabulary is dear.
#pragma once

#include <optional>

#include "base/hash.h"
#include "grammar/matcher/program.h"

namespace sglrun::grammar {

// Where a byte leads from a state that is deterministic over bytes; -1: nowhere.
inline StateId NextByByte(const Program& program, StateId state, std::uint8_t byte) {
  for (const Program::ByteEdge& edge : program.BytesOf(state)) {
    if (byte < edge.first) break;  // sorted by first
    if (byte <= edge.last) return edge.target;
  }
  return -1;
}

// Equal for states, of whatever programs, from which the same automaton can be walked. None where
// it is large, or takes anything but bytes, or leaves a choice.
std::optional<Hash128> HashOfResidual(const Program& program, StateId state);

// The state that nearly all bytes lead to in the end, which then lead back to it: behind the key
// that was not to be, any string continues. None when there is no such state.
std::optional<StateId> HubOf(const Program& program, StateId state);

}  // namespace sglrun::grammar
