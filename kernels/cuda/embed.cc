#include "kernels/cuda/embed.cuh"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

void Embed(const cuda::EmbedParams& p, gpu::Stream stream) {
  if (p.tokens == 0 || p.weight.k == 0) return;
  if (cuda::IsQuantized(p.weight.type)) return QuantEmbed(p, stream);
  cu::launch(IsAligned(p.out) ? EmbedKernel<true> : EmbedKernel<false>, dim3(Blocks(p.tokens, 1)),
             dim3(kCopyThreads), 0, stream, p);
}

void GatherRows(const cuda::GatherRowsParams& p, gpu::Stream stream) {
  if (p.count == 0 || p.width == 0) return;
  const bool aligned = IsAligned(p.in) && IsAligned(p.out);
  cu::launch(aligned ? GatherRowsKernel<true> : GatherRowsKernel<false>, dim3(Blocks(p.count, 1)),
             dim3(kCopyThreads), 0, stream, p);
}

void PackRows(const cuda::PackRowsParams& p, gpu::Stream stream) {
  if (p.count == 0 || p.weight.k == 0) return;
  cu::launch(PackRowsKernel, dim3(Blocks(p.count, 1)), dim3(kCopyThreads), 0, stream, p);
}

}  // namespace sglrun::kernels::CU_WORLD
