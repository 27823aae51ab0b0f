#include "kernels/cuda/draw.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void AdmitRows(const cuda::DrawParams& p, gpu::Stream stream) {
  if (p.rows == 0) return;
  cu::launch(AdmitRowsKernel, dim3(Blocks(p.rows, kDrawThreads)), dim3(kDrawThreads), 0, stream, p);
}

void SettleRows(const cuda::DrawParams& p, gpu::Stream stream) {
  if (p.rows == 0) return;
  cu::launch(SettleRowsKernel, dim3(Blocks(p.rows, kDrawThreads)), dim3(kDrawThreads), 0, stream,
             p);
}

void FeedDrawn(const cuda::FeedDrawnParams& p, gpu::Stream stream) {
  if (p.count == 0) return;
  cu::launch(FeedDrawnKernel, dim3(Blocks(p.count, kDrawThreads)), dim3(kDrawThreads), 0, stream,
             p);
}

}  // namespace sglrun::kernels::CU_WORLD
