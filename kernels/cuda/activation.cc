#include "kernels/cuda/activation.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

template <ActivationKind kKind>
void LaunchActivation(const cuda::ActivationParams& p, gpu::Stream stream) {
  // Rows are the grid's second axis, which ends at 65535.
  constexpr std::int64_t kRows = 65535;
  const bool aligned = IsAligned(p.x) && IsAligned(p.y) && (!p.gated || p.size % 4 == 0);
  for (std::int64_t first = 0; first < p.tokens; first += kRows) {
    cuda::ActivationParams part = p;
    part.x.data += first * p.x.stride;
    part.y.data += first * p.y.stride;
    part.tokens = p.tokens - first < kRows ? p.tokens - first : kRows;
    cu::launch(aligned ? ActivationKernel<kKind, true> : ActivationKernel<kKind, false>,
               dim3(Blocks(p.size, kActivationThreads * 4), static_cast<unsigned>(part.tokens)),
               dim3(kActivationThreads), 0, stream, part);
  }
}

}  // namespace

void Activate(const cuda::ActivationParams& p, gpu::Stream stream) {
  if (p.tokens == 0 || p.size == 0) return;
  switch (p.kind) {
    case ActivationKind::kSilu:
      return LaunchActivation<ActivationKind::kSilu>(p, stream);
    case ActivationKind::kGelu:
      return LaunchActivation<ActivationKind::kGelu>(p, stream);
    case ActivationKind::kGeluTanh:
      return LaunchActivation<ActivationKind::kGeluTanh>(p, stream);
    case ActivationKind::kRelu:
      return LaunchActivation<ActivationKind::kRelu>(p, stream);
    case ActivationKind::kRelu2:
      return LaunchActivation<ActivationKind::kRelu2>(p, stream);
    case ActivationKind::kSoftcap:
      return LaunchActivation<ActivationKind::kSoftcap>(p, stream);
  }
}

}  // namespace sglrun::kernels::CU_WORLD
