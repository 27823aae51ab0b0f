// The products of processors with matrix tiles. All else is avx512_vnni's: these are Intel's, where
// widening bf16 to float32 is faster than its products in vectors (backend.cc).
#include "kernels/cpu/amx_gemm.h"
#include "kernels/cpu/amx_quant_gemm.h"
#include "kernels/cpu/amx_tiles.h"
#include "kernels/cpu/ops.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// A type of this file only, so that templates instantiated with it are not shared with other files.
struct Tiles : MatrixTiles {};

}  // namespace

void Gemm(const GemmArgs& args, KernelContext& context) {
  if (args.weight->dtype == tensor::DType::kF32) return avx512::Gemm(args, context);
  TileGemm<Tiles>(args, context);
}

// With few rows memory is the limit, and the other kernel was measured there; codes of four bits
// would have to be unpacked for tiles first. The bits are the same.
void QuantGemm(const GemmArgs& args, KernelContext& context) {
  constexpr std::int64_t kFewRows = 8;
  if (args.weight->dtype == tensor::DType::kI4 || args.x.shape[0] <= kFewRows) {
    return avx512_vnni::QuantGemm(args, context);
  }
  TileQuantGemm<Tiles>(args, context);
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
