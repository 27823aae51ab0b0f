#include "kernels/cuda/sample.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void Sample(const cuda::SampleParams& p, gpu::Stream stream) {
  if (p.rows == 0) return;
  const dim3 grid(Blocks(p.rows, 1));
  if (p.width <= 4096) {
    cu::launch(SampleKernel<128>, grid, dim3(128), 0, stream, p);
  } else {
    cu::launch(SampleKernel<1024>, grid, dim3(1024), 0, stream, p);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
