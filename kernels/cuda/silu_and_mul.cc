#include "kernels/cuda/silu_and_mul.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void SiluAndMul(const cuda::SiluAndMulParams& p, gpu::Stream stream) {
  if (p.tokens == 0 || p.size == 0) return;
  // Rows are the grid's second axis, which ends at 65535.
  constexpr std::int64_t kRows = 65535;
  const bool aligned = IsAligned(p.x) && IsAligned(p.y) && p.size % 4 == 0;
  for (std::int64_t first = 0; first < p.tokens; first += kRows) {
    cuda::SiluAndMulParams part = p;
    part.x.data += first * p.x.stride;
    part.y.data += first * p.y.stride;
    part.tokens = p.tokens - first < kRows ? p.tokens - first : kRows;
    cu::launch(aligned ? SiluAndMulKernel<true> : SiluAndMulKernel<false>,
               dim3(Blocks(p.size, kSiluThreads * 4), static_cast<unsigned>(part.tokens)),
               dim3(kSiluThreads), 0, stream, part);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
