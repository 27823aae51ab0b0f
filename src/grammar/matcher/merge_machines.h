// Names for machines: equal ones get the same, however they call each other or themselves.
#pragma once

#include <cstddef>
#include <vector>

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// Machine m becomes machine names[m]; several may become one, and those named -1 are dropped.
void RenameMachines(Machines& machines, const std::vector<MachineId>& names, std::size_t count);

// Schemas repeat their rules; equal ones then share their masks.
Result<void, GrammarError> MergeEqualMachines(Machines& machines, Budget& budget);

}  // namespace sglrun::grammar
