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

void RotateAndStore(const cuda::RotateAndStoreParams& p, gpu::Stream stream) {
  if (p.q.tokens == 0) return;
  const bool aligned = IsAligned(p.q.x) && IsAligned(p.store.k) && IsAligned(p.store.v);
  const std::int64_t heads = p.q.tokens * (p.q.heads + 2 * p.store.cache.heads);
  cu::launch(aligned ? RotateAndStoreKernel<true> : RotateAndStoreKernel<false>,
             dim3(Blocks(heads, kHeadWarps)), dim3(kHeadWarps * 32), 0, stream, p);
}

}  // namespace sglrun::kernels::CU_WORLD
