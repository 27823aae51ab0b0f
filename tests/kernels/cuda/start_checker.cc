// Linked into a program of kernel tests, lets the checker watch all of them.
#include "kernels/cuda/sim/checker.h"

namespace {

const bool kIsWatched = [] {
  sglrun::sim::StartChecker();
  return true;
}();

}  // namespace
