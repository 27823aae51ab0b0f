// Which algorithm of cuBLASLt was the fastest for which product, kept for the process and, as far
// as that works, on disk, by device and version of the library: timing them again at every start
// would cost a second, and another choice would give other bits.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernels/cuda/gpu/cublaslt_api.h"

namespace sglrun::kernels::cuda {

// Products that share an algorithm.
struct ProductClass {
  std::int64_t n = 0, k = 0;
  std::int64_t rows = 0;  // a power of two that is not less, or the number itself
  bool accumulate = false, bias = false;
  bool is_one = false;  // for this number of rows only: the algorithm of the power does not suit it

  auto operator<=>(const ProductClass&) const = default;
};

class ChosenAlgorithms {
 public:
  // Without an algorithm: none of the library's suits.
  using Choice = std::optional<gpu::lt::Algorithm>;

  // Reads what is in the file; "": it is kept nowhere. Damaged lines are skipped, and a file with
  // another title.
  explicit ChosenAlgorithms(std::string path);
  // Writes it again when something was added, with what others have written meanwhile.
  ~ChosenAlgorithms();
  ChosenAlgorithms(const ChosenAlgorithms&) = delete;
  ChosenAlgorithms& operator=(const ChosenAlgorithms&) = delete;

  const Choice* Find(const ProductClass& product) const;
  const Choice& Add(const ProductClass& product, const Choice& choice);

 private:
  using Choices = std::map<ProductClass, Choice>;
  static void ReadInto(const std::string& path, Choices& choices);
  void Write() const;

  std::string path_;
  Choices choices_;
  bool is_changed_ = false;
};

// $XDG_CACHE_HOME/sglrun/NAME, or in ~/.cache; "" where there is neither.
std::string CachePath(const std::string& name);

}  // namespace sglrun::kernels::cuda
