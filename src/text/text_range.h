// Bytes [begin, end) of a text.
#pragma once

#include <cstddef>

namespace sglrun {

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextRange&) const = default;
};

}  // namespace sglrun
