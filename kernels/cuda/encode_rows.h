// Rows of quantised weights as the host sends them to the device.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/context.h"
#include "kernels/cuda/ops.h"
#include "kernels/packed_weight.h"

namespace sglrun::kernels::cuda {

// The weight as a parameter of the kernels.
Weight WeightOf(const PackedWeight& weight);

// Bytes, and where they go after the weight's beginning.
struct EncodedPart {
  std::size_t at = 0;
  std::vector<std::uint8_t> bytes;
};

// Codes, scales and minima.
std::vector<EncodedPart> EncodeRows(const PackCodesArgs& args);
// float32 rows, quantised as the reference does.
std::vector<EncodedPart> EncodeRows(const PackRowsArgs& args, KernelContext& context);

}  // namespace sglrun::kernels::cuda
