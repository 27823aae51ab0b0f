#include "kernels/cuda/ops.h"

#include "kernels/cuda/launchers.h"

namespace sglrun::kernels::CU_WORLD {

const cuda::Ops& CudaOps() {
  static const cuda::Ops ops = {.pack_rows = PackRows,
                                .embed = Embed,
                                .gather_rows = GatherRows,
                                .gemm = Gemm,
                                .round_rows = RoundRows,
                                .norm = Norm,
                                .rope = Rope,
                                .store_kv = StoreKv,
                                .rotate_and_store = RotateAndStore,
                                .paged_attention = PagedAttention,
                                .activation = Activate,
                                .logits_process = LogitsProcess,
                                .sample = Sample,
                                .logprobs = Logprobs,
                                .admit_rows = AdmitRows,
                                .settle_rows = SettleRows,
                                .feed_drawn = FeedDrawn};
  return ops;
}

}  // namespace sglrun::kernels::CU_WORLD
