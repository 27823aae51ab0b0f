// States and symbols are signed, -1 meaning none; vectors count in std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sglrun::grammar {

inline std::size_t U(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace sglrun::grammar
