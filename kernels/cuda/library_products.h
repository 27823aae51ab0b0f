// Products of many rows on cuBLASLt: bf16 weights, more than kLibraryRows rows. Few rows stay with
// our own kernels, which stream the weights past; so do float16 weights, for cuBLASLt would round x
// to float16, where activations of large models are infinite. The order of cuBLASLt's sums follows
// from the number of rows, so that a row's bits depend on its batch: `--deterministic` does
// without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/cuda/chosen_algorithms.h"
#include "kernels/cuda/gpu/cublaslt.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {

inline constexpr std::int64_t kLibraryRows = 64;

// Scratch of such a product: x in bf16, and what trials of a sum are added to.
std::size_t LibraryScratchBytes(const GemmParams& params);

class LibraryProducts {
 public:
  // Everything runs on `stream`. An error tells why cuBLASLt cannot be used.
  static Result<std::unique_ptr<LibraryProducts>> Open(gpu::Runtime& runtime, gpu::Stream stream,
                                                       const std::vector<std::string>& places);
  ~LibraryProducts();

  std::string Describe() const;  // "cuBLASLt 13.1.0"

  static bool Takes(const GemmParams& params);
  // With scratch of LibraryScratchBytes. False, and nothing is done, when no algorithm suits. The
  // first call for a class of products times what cuBLASLt proposes and waits for it, which must
  // not be while the stream is captured.
  bool Multiply(const GemmParams& params, const Ops& ops);

 private:
  LibraryProducts(gpu::Runtime& runtime, gpu::Stream stream,
                  std::unique_ptr<gpu::lt::Products> products, void* workspace);
  ChosenAlgorithms::Choice Choose(const GemmParams& params) const;
  // Of some calls; negative when it does not run.
  double Seconds(const gpu::lt::Product& product, const gpu::lt::Algorithm& algorithm) const;

  gpu::Runtime& runtime_;
  gpu::Stream stream_;
  std::unique_ptr<gpu::lt::Products> products_;
  void* workspace_;
  ChosenAlgorithms chosen_;
};

}  // namespace sglrun::kernels::cuda
