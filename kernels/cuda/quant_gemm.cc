#include "kernels/cuda/quant_gemm.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

template <int kBits, int kGroup, int kRows, int kM>
void LaunchQuantGemm(const cuda::GemmParams& p, gpu::Stream stream) {
  const cuda::QuantPlaces places(p.weight);
  cu::launch(QuantGemmKernel<kBits, kGroup, kRows, kM>,
             dim3(Blocks(p.weight.n, kQuantWarps * kRows), Blocks(p.m, kM)), dim3(kQuantWarps * 32),
             0, stream, p, places.scales, places.minima);
}

template <int kBits, int kGroup>
void QuantGemmOfGroup(const cuda::GemmParams& p, gpu::Stream stream) {
  cu::launch(RoundGroupsKernel<kGroup>,
             dim3(Blocks(p.m * (cuda::PaddedK(p.weight.k) / kGroup), 128)), dim3(128), 0, stream,
             p);
  // Rows of W share what is read of x; with few rows of x more warps are worth more.
  if (p.m <= 2) {
    LaunchQuantGemm<kBits, kGroup, 2, 2>(p, stream);
  } else {
    LaunchQuantGemm<kBits, kGroup, 4, 8>(p, stream);
  }
}

}  // namespace

void QuantGemm(const cuda::GemmParams& p, gpu::Stream stream) {
  const bool is_wide = p.weight.group == 32;
  if (p.weight.type == cuda::WeightType::kI8) {
    is_wide ? QuantGemmOfGroup<8, 32>(p, stream) : QuantGemmOfGroup<8, 16>(p, stream);
  } else {
    is_wide ? QuantGemmOfGroup<4, 32>(p, stream) : QuantGemmOfGroup<4, 16>(p, stream);
  }
}

void QuantEmbed(const cuda::EmbedParams& p, gpu::Stream stream) {
  const cuda::QuantPlaces places(p.weight);
  cu::launch(QuantEmbedKernel, dim3(Blocks(p.tokens, 1)), dim3(128), 0, stream, p, places.scales,
             places.minima);
}

}  // namespace sglrun::kernels::CU_WORLD
