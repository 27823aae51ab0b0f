// What compute-sanitizer finds on a GPU, found without one. Kernels are compiled with
// -fsanitize=thread, whose calls at every load and store end here (checker_hooks.cc) instead of in
// libtsan. A kernel is stopped, with the other access told, at
//   - a read or write outside of an allocation or of a shared array, or misaligned
//   - a read of memory that nobody wrote
//   - a race: between threads of a block that no __syncthreads or __syncwarp orders, between blocks
// and its accesses are counted, to see how well they fall together.
#pragma once

#include <cstdint>

namespace sglrun::sim {

struct AccessCounts {
  std::uint64_t global_requests = 0;  // of a warp
  std::uint64_t global_sectors = 0;   // of 32 bytes that they touched
  std::uint64_t global_bytes = 0;     // that they used of these
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_wavefronts = 0;  // turns that they took; as many as requests at best

  bool operator==(const AccessCounts&) const = default;
};

// Watches every kernel from now on.
void StartChecker();

// Counts since the last call.
AccessCounts TakeAccessCounts();

}  // namespace sglrun::sim
