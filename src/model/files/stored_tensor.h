// A weight tensor as it lies in a mapped file, and the TensorSource that reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "formats/quantized_matrix.h"
#include "model/blocks/weight_list.h"
#include "model/files/model_files.h"

namespace sglrun::model {

struct StoredTensor {
  std::string name;                 // Hugging Face name
  std::vector<std::int64_t> shape;  // row-major
  std::string type;                 // the file's name for it: "BF16", "Q4_1"
  const MappedFile* file = nullptr;
  std::size_t begin = 0;
  std::size_t bytes = 0;
  // Rows that rotate and lie in adjacent-pair order; no heads: rows lie in half order.
  RotatedRows pairs = {};
  // Rows of queries, keys and values that lie by key head; no heads: they lie one after the other.
  FusedRows groups = {};
  float add = 0;  // to every element of a vector
  // Of a quantised matrix, whose codes these bytes are.
  std::shared_ptr<const formats::QuantizedMatrix> matrix = nullptr;
  bool is_companion = false;  // scales and the like, which such a matrix reads

  std::string_view data() const { return file->bytes().substr(begin, bytes); }
};

// Mapped files and what they hold. The files stay where they are when the table moves.
struct WeightTable {
  std::vector<std::unique_ptr<MappedFile>> files;
  std::vector<StoredTensor> tensors;
};

// Refuses types that hold no weights; the tensor's file must outlive the source.
Result<TensorSource> MakeTensorSource(const StoredTensor& tensor);

}  // namespace sglrun::model
