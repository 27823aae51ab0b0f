#include "kernels/cuda/logprobs.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void Logprobs(const cuda::LogprobsParams& p, gpu::Stream stream) {
  if (p.rows == 0) return;
  const dim3 grid(Blocks(p.rows, 1));
  if (p.width <= 4096) {
    cu::launch(LogprobsKernel<128>, grid, dim3(128), 0, stream, p);
  } else {
    cu::launch(LogprobsKernel<512>, grid, dim3(512), 0, stream, p);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
