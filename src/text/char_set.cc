#include "text/char_set.h"

#include <algorithm>

namespace sglrun {
namespace {

// The surrogates lie between the two.
constexpr char32_t kLastBelow = 0xD7FF, kFirstAbove = 0xE000, kLastScalar = 0x10FFFF;

}  // namespace

CharSet::CharSet(std::initializer_list<CharRange> ranges) : ranges_(ranges) {
  Normalize();
}

CharSet CharSet::All() {
  return CharSet{{0, kLastScalar}};
}

void CharSet::Add(CharRange range) {
  range.last = std::min(range.last, kLastScalar);
  AddPiece({range.first, std::min(range.last, kLastBelow)});
  AddPiece({std::max(range.first, kFirstAbove), range.last});
}

// Replaces the ranges that it overlaps or touches.
void CharSet::AddPiece(CharRange piece) {
  if (piece.first > piece.last) return;
  const auto begin = std::lower_bound(
      ranges_.begin(), ranges_.end(), piece.first,
      [](const CharRange& range, char32_t first) { return range.last + 1 < first; });
  auto end = begin;
  for (; end != ranges_.end() && end->first <= piece.last + 1; ++end) {
    piece.first = std::min(piece.first, end->first);
    piece.last = std::max(piece.last, end->last);
  }
  if (begin == end) {
    ranges_.insert(begin, piece);
  } else {
    *begin = piece;
    ranges_.erase(begin + 1, end);
  }
}

CharSet CharSet::Union(const CharSet& other) const {
  CharSet result = *this;
  result.ranges_.insert(result.ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  result.Normalize();
  return result;
}

CharSet CharSet::Intersect(const CharSet& other) const {
  CharSet result;
  auto a = ranges_.begin(), b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const CharRange both{std::max(a->first, b->first), std::min(a->last, b->last)};
    if (both.first <= both.last) result.ranges_.push_back(both);
    (a->last < b->last ? a : b)++;
  }
  return result;
}

CharSet CharSet::Complement() const {
  CharSet result;
  char32_t next = 0;
  for (const CharRange& range : ranges_) {
    if (range.first > next) result.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastScalar) result.ranges_.push_back({next, kLastScalar});
  result.Normalize();
  return result;
}

bool CharSet::Contains(char32_t c) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), c,
                                      [](char32_t v, const CharRange& r) { return v < r.first; });
  return after != ranges_.begin() && c <= (after - 1)->last;
}

std::uint32_t CharSet::size() const {
  std::uint32_t count = 0;
  for (const CharRange& range : ranges_) count += range.last - range.first + 1;
  return count;
}

void CharSet::Normalize() {
  std::vector<CharRange> pieces;
  for (CharRange range : ranges_) {
    range.last = std::min(range.last, kLastScalar);
    const CharRange below{range.first, std::min(range.last, kLastBelow)};
    const CharRange above{std::max(range.first, kFirstAbove), range.last};
    for (const CharRange& piece : {below, above}) {
      if (piece.first <= piece.last) pieces.push_back(piece);
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const CharRange& a, const CharRange& b) { return a.first < b.first; });
  ranges_.clear();
  for (const CharRange& piece : pieces) {
    // Ranges are not joined across the surrogates between U+D7FF and U+E000.
    if (!ranges_.empty() && piece.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, piece.last);
    } else {
      ranges_.push_back(piece);
    }
  }
}

}  // namespace sglrun
