#include "kernels/cuda/norm.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

// Groups must begin at 16 bytes, too.
bool HasAlignedVectors(const cuda::NormParams& p) {
  return IsAligned(p.x) && IsAligned(p.y) && IsAligned(p.weight) &&
         (p.add.data == nullptr || IsAligned(p.add)) && (p.bias == nullptr || IsAligned(p.bias)) &&
         (p.groups == 1 || p.size % 4 == 0);
}

template <int kThreads, int kItems>
void LaunchRmsNorm(const cuda::NormParams& p, gpu::Stream stream) {
  cu::launch(HasAlignedVectors(p) ? RmsNormKernel<kThreads, kItems, true>
                                  : RmsNormKernel<kThreads, kItems, false>,
             dim3(Blocks(p.tokens * p.groups, 1)), dim3(kThreads), 0, stream, p);
}

template <int kThreads>
void LaunchLayerNorm(const cuda::NormParams& p, gpu::Stream stream) {
  cu::launch(
      HasAlignedVectors(p) ? LayerNormKernel<kThreads, true> : LayerNormKernel<kThreads, false>,
      dim3(Blocks(p.tokens * p.groups, 1)), dim3(kThreads), 0, stream, p);
}

}  // namespace

void Norm(const cuda::NormParams& p, gpu::Stream stream) {
  if (p.tokens == 0 || p.size == 0) return;
  if (p.kind == NormKind::kLayer) {
    return p.size <= 1024 ? LaunchLayerNorm<128>(p, stream) : LaunchLayerNorm<512>(p, stream);
  }
  switch (NormThreads(p.size)) {
    case 32:
      return LaunchRmsNorm<32, 2>(p, stream);
    case 128:
      return LaunchRmsNorm<128, 2>(p, stream);
    case 512:
      return LaunchRmsNorm<512, 4>(p, stream);
    default:
      if (p.size <= 16384) return LaunchRmsNorm<1024, 4>(p, stream);
      LaunchRmsNorm<1024, 0>(p, stream);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
