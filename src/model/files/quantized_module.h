// One quantised matrix of a Hugging Face checkpoint: from the tensors of a module to the reader of
// its rows. Their shapes must fit the matrix, each other, and what the configuration says.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/quantized_matrix.h"
#include "model/files/quantization_config.h"
#include "model/files/stored_tensor.h"

namespace sglrun::model {

struct QuantizedModule {
  std::string name;  // "model.layers.0.mlp.down_proj"
  const StoredTensor* codes = nullptr;
  std::int64_t rows = 0, columns = 0;  // of the matrix
  const Quantization* config = nullptr;
  // The tensor of this name, or nullptr.
  std::function<StoredTensor*(const std::string& name)> find;
};

struct ModuleMatrix {
  formats::QuantizedMatrix matrix;
  std::string type;  // "gptq 4-bit group 128"
  std::vector<StoredTensor*> companions;
  std::string warning = {};  // what the user should know, if anything
};

// One kind of storage: by the end of the name of the codes, and by their type.
struct QuantizedKind {
  std::string_view suffix;  // ".qweight"
  std::string_view type;    // "I32"
  Result<ModuleMatrix> (*read)(const QuantizedModule& module);
};

// nullptr if the tensor is no codes of a quantised matrix.
const QuantizedKind* FindQuantizedKind(const StoredTensor& tensor);

}  // namespace sglrun::model
