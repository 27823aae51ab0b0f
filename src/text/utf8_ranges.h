// Converts a range of characters to ranges of bytes: for example, the UTF-8 encodings of
// U+0800..U+FFFF are E0 A0-BF 80-BF and E1-EF 80-BF 80-BF.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/char_set.h"

namespace sglrun {

struct ByteRanges {
  struct Range {
    std::uint8_t first = 0, last = 0;  // inclusive
  };
  std::array<Range, 4> bytes;
  int length = 0;
};

// Disjoint, in the order of characters. `range` holds no surrogates.
std::vector<ByteRanges> Utf8Ranges(CharRange range);

}  // namespace sglrun
