// Rows of quantised tensors on their way into packed weights: several tensors of different formats
// may share one packed matrix (q, k and v), whose form must hold each of them exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/packed_weight.h"
#include "model/files/model_files.h"

namespace sglrun::model {

// The narrowest form that holds the integers and scales of both.
kernels::WeightForm CommonForm(const kernels::WeightForm& a, const kernels::WeightForm& b);

// The form of a matrix packed from `sources` where quantised arithmetic is asked for: their own
// integers where all are quantised, `for_floats` where none is. Of a mixture bf16: quantising a
// part of it again would lose more.
kernels::WeightForm FormOf(std::span<const TensorSource* const> sources,
                           const kernels::WeightForm& for_floats);

// Codes, scales and minima of some rows.
class QuantRows {
 public:
  // Rows [first, first + count) of `source`, which has a form, as codes of the form `to`.
  void Read(const TensorSource& source, std::int64_t first, std::int64_t count,
            const kernels::WeightForm& to);

  const std::uint8_t* codes() const { return codes_.data(); }
  const float* scales() const { return scales_.data(); }
  const float* minima() const { return minima_.empty() ? nullptr : minima_.data(); }

 private:
  void Widen(const kernels::WeightForm& from, const kernels::WeightForm& to);

  std::vector<std::uint8_t> codes_;
  std::vector<float> scales_, minima_;
};

}  // namespace sglrun::model
