#include "model/files/tensor_parts.h"

#include <algorithm>

namespace sglrun::model {

std::vector<TensorPart> PartsOf(std::span<const TensorSource> tensors) {
  constexpr std::size_t kPartBytes = std::size_t{4} << 20;
  std::vector<TensorPart> parts;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t size = tensors[i].stored.size();
    for (std::size_t begin = 0; begin < size; begin += kPartBytes) {
      parts.push_back({i, begin, std::min(kPartBytes, size - begin)});
    }
  }
  return parts;
}

}  // namespace sglrun::model
