// The contracts' operations on a device: from Args to the parameters of the kernels. Those of the
// forward pass take staged arrays and only enqueue; those of sampling send the arrays of the host
// in one copy and, except for Draw, wait for what they give.
#pragma once

#include "kernels/backend.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {
class DeviceState;
}

namespace sglrun::kernels::cuda::calls {

// A float32 matrix or vector.
inline Rows RowsOf(const tensor::TensorView& view) {
  if (view.empty()) return {};
  return {view.f32(), view.rank == 2 ? view.stride[0] : view.shape[0]};
}

// weight_calls.cc
void PackRows(const PackRowsArgs& args, KernelContext& context);
void PackCodes(const PackCodesArgs& args, KernelContext& context);

// forward_calls.cc
void Embed(const EmbedArgs& args, KernelContext& context);
void GatherRows(const GatherRowsArgs& args, KernelContext& context);
void FeedDrawn(const FeedDrawnArgs& args, KernelContext& context);
void Gemm(const GemmArgs& args, KernelContext& context);
void Norm(const NormArgs& args, KernelContext& context);
void Rope(const RopeArgs& args, KernelContext& context);
void StoreKv(const StoreKvArgs& args, KernelContext& context);
void PagedAttention(const PagedAttentionArgs& args, KernelContext& context);
void Activate(const ActivationArgs& args, KernelContext& context);
void NormGemm(const KernelTable& table, const NormGemmArgs& args, KernelContext& context);
void RotateAndStore(const KernelTable& table, const RotateAndStoreArgs& args,
                    KernelContext& context);
void Mlp(const KernelTable& table, const MlpArgs& args, KernelContext& context);

// library_calls.cc: whether cuBLASLt does the product.
bool MultiplyByLibrary(DeviceState& device, GemmParams params);

// sampling_calls.cc
void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context);
void Sample(const SampleArgs& args, KernelContext& context);
void Logprobs(const LogprobsArgs& args, KernelContext& context);
void Draw(const KernelTable& table, const DrawArgs& args, KernelContext& context);
void FinishDraw(KernelContext& context);

}  // namespace sglrun::kernels::cuda::calls
