#include "tensor/tensor_view.h"

namespace sglrun::tensor {

std::string TensorView::ToString() const {
  std::string out = DTypeName(dtype);
  out += "[";
  for (int i = 0; i < rank; ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(shape[static_cast<std::size_t>(i)]);
  }
  return out + "]";
}

}  // namespace sglrun::tensor
