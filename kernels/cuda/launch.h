// Launch shapes: plain host arithmetic.
#pragma once

#include <cstdint>

#include "kernels/cuda/cu.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::CU_WORLD {

inline unsigned Blocks(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

// Every row of the matrix begins at a multiple of 16 bytes.
inline bool IsAligned(const cuda::Rows& rows) {
  return reinterpret_cast<std::uintptr_t>(rows.data) % 16 == 0 && rows.stride % 4 == 0;
}
inline bool IsAligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

}  // namespace sglrun::kernels::CU_WORLD
