// Tensors in parts of a fixed size: the pieces in which a model's bytes are hashed. A fingerprint
// is made of the hashes of all parts, so that threads can make them in any order, and that whoever
// reads a part for another purpose can hash it on the way.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/files/model_files.h"

namespace sglrun::model {

struct TensorPart {
  std::size_t tensor = 0;  // which of ModelFiles::tensors()
  std::size_t begin = 0, bytes = 0;

  std::size_t end() const { return begin + bytes; }
};

// All parts of all tensors, in order.
std::vector<TensorPart> PartsOf(std::span<const TensorSource> tensors);

}  // namespace sglrun::model
