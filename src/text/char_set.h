// A set of Unicode scalar values (U+0000..U+D7FF, U+E000..U+10FFFF) as sorted, disjoint ranges that
// do not touch. Surrogates are never members.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace sglrun {

struct CharRange {
  char32_t first = 0;
  char32_t last = 0;  // inclusive

  friend bool operator==(const CharRange&, const CharRange&) = default;
};

class CharSet {
 public:
  CharSet() = default;
  CharSet(std::initializer_list<CharRange> ranges);  // any order, may overlap
  // The same for many ranges at once.
  explicit CharSet(std::vector<CharRange> ranges) : ranges_(std::move(ranges)) { Normalize(); }
  static CharSet All();
  static CharSet Of(char32_t c) { return CharSet{{c, c}}; }

  void Add(CharRange range);  // cheap when ranges come in order
  CharSet Union(const CharSet& other) const;
  CharSet Intersect(const CharSet& other) const;
  CharSet Complement() const;
  CharSet Subtract(const CharSet& other) const { return Intersect(other.Complement()); }

  bool empty() const { return ranges_.empty(); }
  bool Contains(char32_t c) const;
  std::uint32_t size() const;  // scalar values
  std::span<const CharRange> ranges() const { return ranges_; }

  friend bool operator==(const CharSet&, const CharSet&) = default;

 private:
  void Normalize();
  void AddPiece(CharRange piece);

  std::vector<CharRange> ranges_;
};

}  // namespace sglrun
