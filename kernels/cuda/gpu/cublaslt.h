// The one product that we ask of cuBLASLt, in our terms: y = x W^T (+ bias) (+ y) with W and x in
// bf16, y and the sums in float32, all by rows. A matrix by rows is its transpose by columns, which
// is how cuBLASLt reads: y^T = W x^T, W read transposed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/cuda/gpu/cublaslt_library.h"

namespace sglrun::gpu::lt {

struct Product {
  const void* weight = nullptr;  // [n, k] bf16, at a multiple of 256 bytes
  const void* x = nullptr;       // [m, k] bf16, at a multiple of 256 bytes
  float* y = nullptr;            // [m, n], rows y_stride apart, at multiples of kAlignment
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t y_stride = 0;
  const float* bias = nullptr;  // [n] or null
  bool accumulate = false;
  float alpha = 1;  // of the product, not of the bias
};
inline constexpr std::uint32_t kAlignment = 16;

// One device's.
class Products {
 public:
  // For the device that this thread drives.
  static Result<std::unique_ptr<Products>> Open(std::shared_ptr<const Library> library);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  const Library& library() const { return *library_; }

  // At most `count` algorithms that need no more than `workspace` bytes, the likely fastest first.
  std::vector<Algorithm> Candidates(const Product& product, std::size_t workspace, int count) const;
  bool Suits(const Product& product, const Algorithm& algorithm, std::size_t workspace) const;
  // Enqueues; "" or what cuBLASLt says.
  std::string Multiply(const Product& product, const Algorithm& algorithm, void* workspace,
                       std::size_t workspace_bytes, void* stream) const;

 private:
  Products(std::shared_ptr<const Library> library, Handle handle)
      : library_(std::move(library)), handle_(handle) {}

  std::shared_ptr<const Library> library_;
  Handle handle_;
};

}  // namespace sglrun::gpu::lt
