// The products on emulated tiles, once for each set of flags (CMakeLists.txt).
#pragma once

#include "kernels/context.h"
#include "kernels/gemm.h"

namespace sglrun::kernels::cpu {
namespace emulated_portable {
void Gemm(const GemmArgs& args, KernelContext& context);
}
namespace emulated_avx512_vnni {
void Gemm(const GemmArgs& args, KernelContext& context);
}
}  // namespace sglrun::kernels::cpu
