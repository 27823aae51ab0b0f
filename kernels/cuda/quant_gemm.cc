#include "kernels/cuda/quant_gemm.cuh"

#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

using cuda::GemmParams;
using cuda::QuantPlaces;

template <int kBits, int kGroup, int kTiles>
void LaunchQuantSmall(const GemmParams& p, const QuantPlaces& places, gpu::Stream stream) {
  cu::launch(QuantSmallKernel<kBits, kGroup, kTiles>, dim3(Blocks(p.weight.n, 16 * kTiles)),
             dim3(kQuantSmallThreads), 0, stream, p, places.scales, places.minima);
}

template <int kBits, int kGroup, int kTileM>
void LaunchQuantTiled(const GemmParams& p, const QuantPlaces& places, gpu::Stream stream) {
  const auto shares = static_cast<unsigned>(cuda::GemmShares(p.m, p.weight.n));
  cu::launch(QuantTiledKernel<kBits, kGroup, kTileM>,
             dim3(Blocks(p.weight.n, kQuantTileN), Blocks(p.m, kTileM), shares),
             dim3(kQuantTiledThreads), kQuantStages * QuantStage<kBits, kGroup, kTileM>::kBytes,
             stream, p, places.scales, places.minima);
  if (shares > 1) {
    cu::launch(AddRunsKernel<GemmParams>, dim3(Blocks(p.weight.n, 128), static_cast<unsigned>(p.m)),
               dim3(128), 0, stream, p, QuantRunSums(p),
               RunsOf(cuda::PaddedQuantK(p.weight.k) / cuda::kQuantStep));
  }
}

template <int kGroup>
void RoundGroups(const GemmParams& p, gpu::Stream stream) {
  if (p.input.kind == cuda::InputKind::kNormed) {
    cu::launch(RoundNormedGroupsKernel<kGroup>, dim3(Blocks(p.m, 1)), dim3(256), 0, stream, p);
    return;
  }
  const bool is_gated = p.input.kind == cuda::InputKind::kGated;
  cu::launch(is_gated ? RoundGroupsKernel<kGroup, true> : RoundGroupsKernel<kGroup, false>,
             dim3(Blocks(p.m * (cuda::PaddedQuantK(p.weight.k) / kGroup), 128)), dim3(128), 0,
             stream, p);
}

template <int kBits, int kGroup>
void QuantGemmOfGroup(const GemmParams& p, gpu::Stream stream) {
  const QuantPlaces places(p.weight);
  RoundGroups<kGroup>(p, stream);
  if (p.m > 32) return LaunchQuantTiled<kBits, kGroup, 64>(p, places, stream);
  if (p.m > cuda::kGemmSmallRows) return LaunchQuantTiled<kBits, kGroup, 32>(p, places, stream);
  // Two tiles where that still leaves a block for every multiprocessor.
  if (p.weight.n >= 8192) return LaunchQuantSmall<kBits, kGroup, 2>(p, places, stream);
  LaunchQuantSmall<kBits, kGroup, 1>(p, places, stream);
}

}  // namespace

void QuantGemm(const GemmParams& p, gpu::Stream stream) {
  const bool is_wide = p.weight.group == 32;
  if (p.weight.type == cuda::WeightType::kI8) {
    is_wide ? QuantGemmOfGroup<8, 32>(p, stream) : QuantGemmOfGroup<8, 16>(p, stream);
  } else {
    is_wide ? QuantGemmOfGroup<4, 32>(p, stream) : QuantGemmOfGroup<4, 16>(p, stream);
  }
}

void QuantEmbed(const cuda::EmbedParams& p, gpu::Stream stream) {
  const QuantPlaces places(p.weight);
  cu::launch(QuantEmbedKernel, dim3(Blocks(p.tokens, 1)), dim3(128), 0, stream, p, places.scales,
             places.minima);
}

}  // namespace sglrun::kernels::CU_WORLD
