#include "kernels/backend.h"

#include "base/check.h"
#include "kernels/ref/ops.h"

namespace sglrun::kernels {
namespace {

// Stops at a call whose arguments do not fit: the reference is for finding faults.
template <class Args, void (*kOperation)(const Args&, KernelContext&)>
void Checked(const Args& args, KernelContext& context) {
  const std::string problem = Check(args);
  CHECK(problem.empty()) << problem;
  kOperation(args, context);
}

// Of operations that are made of others.
template <class Args, void (*kOperation)(const KernelTable&, const Args&, KernelContext&)>
void Checked(const KernelTable& table, const Args& args, KernelContext& context) {
  const std::string problem = Check(args);
  CHECK(problem.empty()) << problem;
  kOperation(table, args, context);
}

}  // namespace

const Backend& RefBackend() {
  static const Backend backend = {
      .name = "ref",
      .isa = "portable",
      .table =
          {
              .packed_weight_bytes = ref::PackedWeightBytes,
              .pack_rows = Checked<PackRowsArgs, ref::PackRows>,
              .pack_codes = Checked<PackCodesArgs, ref::PackCodes>,
              .kv_page_bytes = ref::KvPageBytes,
              .embed = Checked<EmbedArgs, ref::Embed>,
              .gemm = Checked<GemmArgs, ref::Gemm>,
              .norm = Checked<NormArgs, ref::Norm>,
              .rope = Checked<RopeArgs, ref::Rope>,
              .store_kv = Checked<StoreKvArgs, ref::StoreKv>,
              .paged_attention = Checked<PagedAttentionArgs, ref::PagedAttention>,
              .activation = Checked<ActivationArgs, ref::Activate>,
              .route = Checked<RouteArgs, ref::Route>,
              .scale_add = Checked<ScaleAddArgs, ref::ScaleAdd>,
              .logits_process = Checked<LogitsProcessArgs, ref::LogitsProcess>,
              .sample = Checked<SampleArgs, ref::Sample>,
              .logprobs = Checked<LogprobsArgs, ref::Logprobs>,
              .norm_gemm = Checked<NormGemmArgs, host::NormGemm>,
              .rotate_and_store = Checked<RotateAndStoreArgs, host::RotateAndStore>,
              .mlp = Checked<MlpArgs, host::Mlp>,
              .expert_mlp = Checked<ExpertMlpArgs, host::ExpertMlp>,
              .draw = Checked<DrawArgs, host::Draw>,
              .finish_draw = host::FinishDraw,
              .feed_drawn = Checked<FeedDrawnArgs, host::FeedDrawn>,
              .stage = host::Stage,
              .repeat = host::Repeat,
              .upload = host::Copy,
              .download = host::Copy,
              .gather_rows = Checked<GatherRowsArgs, host::GatherRows>,
          },
      .allocator = &tensor::HostAllocator(),
      .wide_int8_groups = true,
  };
  return backend;
}

}  // namespace sglrun::kernels
