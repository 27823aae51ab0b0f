#include "text/utf8_ranges.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace sglrun {
namespace {

// The range must agree in all but a suffix of its bytes, which runs from all 80 to all BF.
ByteRanges Pair(char32_t first, char32_t last) {
  std::string low, high;
  AppendUtf8(low, first);
  AppendUtf8(high, last);
  ByteRanges ranges{.bytes = {}, .length = static_cast<int>(low.size())};
  for (std::size_t i = 0; i < low.size(); ++i) {
    ranges.bytes[i] = {static_cast<std::uint8_t>(low[i]), static_cast<std::uint8_t>(high[i])};
  }
  return ranges;
}

// Splits off, at either end, the part that does not fill a block of 64^k characters.
void Split(char32_t first, char32_t last, std::vector<ByteRanges>& out) {
  for (char32_t block = 64; block <= 64 * 64 * 64; block *= 64) {
    if (first / block == last / block) break;
    if (first % block != 0) {
      const char32_t end = first - first % block + block - 1;
      Split(first, end, out);
      return Split(end + 1, last, out);
    }
    if (last % block != block - 1) {
      const char32_t begin = last - last % block;
      Split(first, begin - 1, out);
      return Split(begin, last, out);
    }
  }
  out.push_back(Pair(first, last));
}

}  // namespace

std::vector<ByteRanges> Utf8Ranges(CharRange range) {
  // Characters of one length at a time.
  constexpr CharRange kLengths[] = {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, 0x10FFFF}};
  std::vector<ByteRanges> out;
  for (const CharRange& length : kLengths) {
    const char32_t first = std::max(range.first, length.first);
    const char32_t last = std::min(range.last, length.last);
    if (first > last) continue;
    if (length.first == 0) {
      out.push_back(Pair(first, last));
    } else {
      Split(first, last, out);
    }
  }
  return out;
}

}  // namespace sglrun
