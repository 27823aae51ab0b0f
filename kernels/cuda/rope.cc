#include "kernels/cuda/rope.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void Rope(const cuda::RopeParams& p, gpu::Stream stream) {
  if (p.tokens == 0 || p.half == 0) return;
  cu::launch(RopeKernel, dim3(Blocks(p.tokens * p.heads, kHeadWarps)), dim3(kHeadWarps * 32), 0,
             stream, p);
}

void StoreKv(const cuda::StoreKvParams& p, gpu::Stream stream) {
  if (p.tokens == 0) return;
  const bool aligned = IsAligned(p.k) && IsAligned(p.v);
  cu::launch(aligned ? StoreKvKernel<true> : StoreKvKernel<false>, dim3(Blocks(p.tokens, 1), 2),
             dim3(kHeadWarps * 32), 0, stream, p);
}

}  // namespace sglrun::kernels::CU_WORLD
