// The kernels of processors with matrix tiles, their tiles emulated, so that every machine runs
// them (emulated_tiles.h): beside the vector kernels of an instruction set, whose flags the rest of
// the source is compiled with.
#pragma once

#include <vector>

#include "kernels/backend.h"

namespace sglrun::kernels::testing {

struct EmulatedAmx {
  const Backend* without_tiles;
  const Backend* with_tiles;
};

// For each instruction set that this machine can run of those the emulation is compiled for.
const std::vector<EmulatedAmx>& EmulatedAmxBackends();

}  // namespace sglrun::kernels::testing
