#include "emulated_amx_ops.h"

#include "emulated_tiles.h"
#include "kernels/cpu/amx_gemm.h"
#include "kernels/cpu/amx_quant_gemm.h"
#include "kernels/cpu/ops.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// A type of this file alone, as in kernels/cpu/amx.cc.
struct Tiles : EmulatedTiles {};

}  // namespace

// By tiles whatever they can multiply, also the few rows that kernels/cpu/amx.cc leaves to vectors.
void Gemm(const GemmArgs& args, KernelContext& context) {
  switch (args.weight->dtype) {
    case tensor::DType::kBF16:
      return TileGemm<Tiles>(args, context);
    case tensor::DType::kI8:
      return TileQuantGemm<Tiles>(args, context);
    case tensor::DType::kI4:
      return SGLRUN_BASE_ISA::QuantGemm(args, context);
    default:
      return SGLRUN_BASE_ISA::Gemm(args, context);
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
