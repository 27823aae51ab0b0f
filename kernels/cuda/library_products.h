// Products of many rows on cuBLASLt: bf16 weights, more than kLibraryRows rows. Few rows stay with
// our own kernels, which stream the weights past; so do float16 weights, for cuBLASLt would round x
// to float16, where activations of large models are infinite; and a product with a factor and a
// bias, which cuBLASLt adds without the factor. The order of cuBLASLt's sums follows
// from the number of rows, so that a row's bits depend on its batch: `--deterministic` does
// without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

  std::string Version() const { return products_->library().Version(); }

  static bool Takes(const GemmParams& params);
  // With scratch of LibraryScratchBytes. False if no algorithm suits: the caller makes the product.
  // Trials may have overwritten y, unless the product is added to it. The first call
  // for a class of products, or for a number of rows that the class's algorithm does not suit,
  // times what cuBLASLt proposes and waits for it, which must not be while the stream is captured.
  bool Multiply(const GemmParams& params, const Ops& ops);

 private:
  LibraryProducts(gpu::Runtime& runtime, gpu::Stream stream,
                  std::unique_ptr<gpu::lt::Products> products, void* workspace);
  std::optional<gpu::lt::Algorithm> AlgorithmFor(const GemmParams& params, const Ops& ops);
  ChosenAlgorithms::Choice Choose(const GemmParams& params, const Ops& ops) const;
  void RoundRows(const GemmParams& params, const Ops& ops) const;
  // Of one call; negative when it does not run.
  double Seconds(const gpu::lt::Product& product, const gpu::lt::Algorithm& algorithm) const;

  gpu::Runtime& runtime_;
  gpu::Stream stream_;
  std::unique_ptr<gpu::lt::Products> products_;
  void* workspace_;
  ChosenAlgorithms chosen_;
};

}  // namespace sglrun::kernels::cuda
