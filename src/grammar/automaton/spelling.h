// How characters are spelled in bytes, for the inner use of this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sglrun::grammar {

struct ByteRange {
  std::uint8_t first = 0;
  std::uint8_t last = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A byte string with a choice at each place.
struct Spelling {
  std::array<ByteRange, 6> bytes;
  std::size_t size = 0;

  void Append(int first, int last) {
    bytes[size++] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)};
  }
};

// Appends the spellings of every character of a range of scalar values. No spelling is the
// beginning of another one's, and where two choices at a place overlap they are equal.
void AppendUtf8Spellings(char32_t first, char32_t last, std::vector<Spelling>& out);
// Inside a JSON string: raw where that is legal, the short escape where there is one, other control
// characters as \u00XX with either case of digits.
void AppendJsonSpellings(char32_t first, char32_t last, std::vector<Spelling>& out);

}  // namespace sglrun::grammar
