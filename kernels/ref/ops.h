// The reference shelf: each operation in plain loops, float32 storage, float64 sums, one thread.
// It is the definition the fast shelves are compared with; it may be slow and may not be clever.
#pragma once

#include "kernels/backend.h"

namespace sglrun::kernels::ref {

std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form);
void PackRows(const PackRowsArgs& args, KernelContext& context);
void PackCodes(const PackCodesArgs& args, KernelContext& context);
std::size_t KvPageBytes(const KvLayout& layout);
void Embed(const EmbedArgs& args, KernelContext& context);
void Gemm(const GemmArgs& args, KernelContext& context);
void Norm(const NormArgs& args, KernelContext& context);
void Rope(const RopeArgs& args, KernelContext& context);
void StoreKv(const StoreKvArgs& args, KernelContext& context);
void PagedAttention(const PagedAttentionArgs& args, KernelContext& context);
void Activate(const ActivationArgs& args, KernelContext& context);
void Route(const RouteArgs& args, KernelContext& context);
void ScaleAdd(const ScaleAddArgs& args, KernelContext& context);
void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context);
void Sample(const SampleArgs& args, KernelContext& context);
void Logprobs(const LogprobsArgs& args, KernelContext& context);

// Element access shared by the operations.
float LoadElement(const void* data, tensor::DType dtype, std::int64_t index);
void StoreElement(void* data, tensor::DType dtype, std::int64_t index, float value);
float LoadWeight(const PackedWeight& weight, std::int64_t n, std::int64_t k);

// A quantised weight: scales [N][groups], minima [N][groups], codes [N][K], one a byte.
struct QuantRows {
  explicit QuantRows(const PackedWeight& weight);

  WeightForm form;
  std::int64_t k, groups;
  float *scales, *minima;
  std::uint8_t* codes;
};

// A page holds keys [kPageSize][Hkv][D], then values in the same order; of int8, then the scales of
// the keys [kPageSize][Hkv] and of the values.
enum class KvPart { kKeys, kValues };
void StoreHead(const KvCacheView& cache, KvPart part, std::int64_t slot, std::int64_t head,
               const float* x);
float LoadFromHead(const KvCacheView& cache, KvPart part, std::int64_t slot, std::int64_t head,
                   std::int64_t d);

}  // namespace sglrun::kernels::ref
