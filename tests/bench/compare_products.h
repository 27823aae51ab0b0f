// Our own product and cuBLASLt's of the same numbers, against sums in float64.
#pragma once

#include <cstdint>

#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/library_products.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

// Largest errors over the sampled outputs, as shares of what kernels/gemm.h allows. Negative: there
// is no memory, or the library has no algorithm.
struct ProductErrors {
  double own = -1, library = -1;
};
ProductErrors CompareProducts(gpu::Runtime& runtime, const Ops& ops, gpu::Stream stream,
                              LibraryProducts& library, std::int64_t m, std::int64_t n,
                              std::int64_t k);

}  // namespace sglrun::kernels::cuda
