// Rows of quantised weights, shared by pack_rows and embed.
#pragma once

#include <cstdint>

#include "kernels/context.h"
#include "kernels/cpu/vec.h"
#include "kernels/packed_weight.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// pack_rows for a quantised weight.
void PackQuantRows(const PackRowsArgs& args, KernelContext& context);

// One row as float32.
void ReadQuantRow(const PackedWeight& weight, std::int64_t row, float* out);

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
