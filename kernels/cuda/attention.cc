#include "kernels/cuda/attention_decode.cuh"
#include "kernels/cuda/attention_f32.cuh"
#include "kernels/cuda/attention_prefill.cuh"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {
namespace {

using cuda::AttentionParams;

template <int kDim, bool kBoth>
void LaunchDecode(const AttentionParams& p, gpu::Stream stream) {
  const std::int64_t group = p.num_heads / p.cache.heads;
  cu::launch(IsAligned(p.q) ? AttentionDecodeKernel<kDim, kBoth, true>
                            : AttentionDecodeKernel<kDim, kBoth, false>,
             dim3(static_cast<unsigned>(p.rows),
                  static_cast<unsigned>(p.cache.heads * ((group + 15) / 16)),
                  static_cast<unsigned>(p.max_splits)),
             dim3(kDecodeThreads), DecodeSharedBytes(kDim, kBoth), stream, p);
  if (p.max_splits > 1) {
    cu::launch(AttentionMergeKernel,
               dim3(static_cast<unsigned>(p.rows), static_cast<unsigned>(p.num_heads)), dim3(128),
               0, stream, p);
  }
}

template <int kDim>
void LaunchBF16(const AttentionParams& p, gpu::Stream stream) {
  const std::int64_t group = p.num_heads / p.cache.heads;
  if (p.max_splits > 0) {
    if (group > 8) {
      LaunchDecode<kDim, true>(p, stream);
    } else {
      LaunchDecode<kDim, false>(p, stream);
    }
  }
  if (p.max_queries > 1) {
    const std::int64_t blocks = p.tokens * group / PrefillRows(kDim) + p.rows;
    cu::launch(
        IsAligned(p.q) ? AttentionPrefillKernel<kDim, true> : AttentionPrefillKernel<kDim, false>,
        dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(p.cache.heads)),
        dim3(kPrefillThreads), PrefillSharedBytes(kDim), stream, p);
  }
}

}  // namespace

void PagedAttention(const AttentionParams& p, gpu::Stream stream) {
  if (p.tokens == 0) return;
  if (!p.cache.is_bf16) {
    cu::launch(AttentionF32Kernel, dim3(Blocks(p.tokens * p.num_heads, kF32AttentionWarps)),
               dim3(kF32AttentionWarps * 32), 0, stream, p);
    return;
  }
  if (p.cache.head_dim <= 64) return LaunchBF16<64>(p, stream);
  if (p.cache.head_dim <= 128) return LaunchBF16<128>(p, stream);
  LaunchBF16<256>(p, stream);
}

}  // namespace sglrun::kernels::CU_WORLD
