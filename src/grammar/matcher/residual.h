// What can follow a state of a program, without its callers: for states that continue with bytes
// alone, where walking the vocabulary is expensive.
#pragma once

#include <optional>

#include "base/hash.h"
#include "grammar/matcher/program.h"

namespace sglrun::grammar {

// The target of a byte from a state that is deterministic over bytes; -1: none.
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

// The state to which nearly all bytes lead eventually and which they then do not leave: for
// example, after a key differs from all excluded names, any string may follow. None if there is no
// such state.
std::optional<StateId> HubOf(const Program& program, StateId state);

}  // namespace sglrun::grammar
