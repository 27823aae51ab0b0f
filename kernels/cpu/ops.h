// The operations of one instruction set, compiled from the same files into one namespace each.
// If an instruction set extends another one and only some files benefit, only those are compiled
// for it; everything else is the other set's (kernels/CMakeLists.txt has the same lists).
#pragma once

#include "kernels/backend.h"

#define SGLRUN_DECLARE_CPU_OPS(isa)                                               \
  namespace sglrun::kernels::cpu::isa {                                           \
  std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form); \
  void PackRows(const PackRowsArgs& args, KernelContext& context);                \
  void PackCodes(const PackCodesArgs& args, KernelContext& context);              \
  std::size_t KvPageBytes(const KvLayout& layout);                                \
  void Embed(const EmbedArgs& args, KernelContext& context);                      \
  /* gemm with weights of float32 or bf16, and with quantised ones. */            \
  void Gemm(const GemmArgs& args, KernelContext& context);                        \
  void QuantGemm(const GemmArgs& args, KernelContext& context);                   \
  /* Fused chains: an mlp up to its activation, and a whole mlp, */               \
  /* where groups of down are panels of the product before it. */                 \
  void NormGemm(const NormGemmArgs& args, KernelContext& context);                \
  void NormQuantGemm(const NormGemmArgs& args, KernelContext& context);           \
  void GateAndUp(const MlpArgs& args, KernelContext& context);                    \
  void QuantGateAndUp(const MlpArgs& args, KernelContext& context);               \
  void QuantMlp(const MlpArgs& args, KernelContext& context);                     \
  void Norm(const NormArgs& args, KernelContext& context);                        \
  void Rope(const RopeArgs& args, KernelContext& context);                        \
  void StoreKv(const StoreKvArgs& args, KernelContext& context);                  \
  void PagedAttention(const PagedAttentionArgs& args, KernelContext& context);    \
  void Activate(const ActivationArgs& args, KernelContext& context);              \
  void Route(const RouteArgs& args, KernelContext& context);                      \
  void ScaleAdd(const ScaleAddArgs& args, KernelContext& context);                \
  void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context);      \
  void Sample(const SampleArgs& args, KernelContext& context);                    \
  void Logprobs(const LogprobsArgs& args, KernelContext& context);                \
  /* The name this code was compiled for, from its own compiler flags. */         \
  const char* CompiledIsa();                                                      \
  }  // namespace sglrun::kernels::cpu::isa

SGLRUN_DECLARE_CPU_OPS(portable)
#if defined(__x86_64__)
SGLRUN_DECLARE_CPU_OPS(avx2)
SGLRUN_DECLARE_CPU_OPS(avx512)

namespace sglrun::kernels::cpu::avx512_vnni {
using namespace avx512;
void QuantGemm(const GemmArgs& args, KernelContext& context);
void NormQuantGemm(const NormGemmArgs& args, KernelContext& context);
void QuantGateAndUp(const MlpArgs& args, KernelContext& context);
void QuantMlp(const MlpArgs& args, KernelContext& context);
const char* CompiledIsa();
}  // namespace sglrun::kernels::cpu::avx512_vnni

namespace sglrun::kernels::cpu::avx512_bf16 {
using namespace avx512_vnni;
void Gemm(const GemmArgs& args, KernelContext& context);
void NormGemm(const NormGemmArgs& args, KernelContext& context);
void GateAndUp(const MlpArgs& args, KernelContext& context);
void PagedAttention(const PagedAttentionArgs& args, KernelContext& context);
const char* CompiledIsa();
}  // namespace sglrun::kernels::cpu::avx512_bf16

namespace sglrun::kernels::cpu::amx {
using namespace avx512_vnni;
void Gemm(const GemmArgs& args, KernelContext& context);
void QuantGemm(const GemmArgs& args, KernelContext& context);
const char* CompiledIsa();
}  // namespace sglrun::kernels::cpu::amx
#endif

#undef SGLRUN_DECLARE_CPU_OPS
