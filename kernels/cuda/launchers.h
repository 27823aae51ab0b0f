// The launchers of one world, gathered into the table of ops.h by ops.cc.
#pragma once

#include "kernels/cuda/cu.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::CU_WORLD {

void PackRows(const cuda::PackRowsParams& p, gpu::Stream stream);
void Embed(const cuda::EmbedParams& p, gpu::Stream stream);
void GatherRows(const cuda::GatherRowsParams& p, gpu::Stream stream);
void Gemm(const cuda::GemmParams& p, gpu::Stream stream);
void RoundRows(const cuda::RoundRowsParams& p, gpu::Stream stream);
// gemm and embed of quantised weights.
void QuantGemm(const cuda::GemmParams& p, gpu::Stream stream);
void QuantEmbed(const cuda::EmbedParams& p, gpu::Stream stream);
void Norm(const cuda::NormParams& p, gpu::Stream stream);
void Rope(const cuda::RopeParams& p, gpu::Stream stream);
void StoreKv(const cuda::StoreKvParams& p, gpu::Stream stream);
void RotateAndStore(const cuda::RotateAndStoreParams& p, gpu::Stream stream);
void PagedAttention(const cuda::AttentionParams& p, gpu::Stream stream);
void Activate(const cuda::ActivationParams& p, gpu::Stream stream);
void LogitsProcess(const cuda::LogitsProcessParams& p, gpu::Stream stream);
void Sample(const cuda::SampleParams& p, gpu::Stream stream);
void Logprobs(const cuda::LogprobsParams& p, gpu::Stream stream);
void AdmitRows(const cuda::DrawParams& p, gpu::Stream stream);
void SettleRows(const cuda::DrawParams& p, gpu::Stream stream);
void FeedDrawn(const cuda::FeedDrawnParams& p, gpu::Stream stream);

}  // namespace sglrun::kernels::CU_WORLD
