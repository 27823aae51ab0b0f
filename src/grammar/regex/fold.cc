#include "grammar/regex/fold.h"

#include <algorithm>
#include <vector>

#include "grammar/regex/unicode_sets.h"

namespace sglrun::grammar {
namespace {

bool InNarrowBlocks(char32_t c) {
  return (c >= 0xB5 && c <= 0xFF) || (c >= 0x370 && c <= 0x52F);
}

void AddAsciiCases(const CharSet& set, std::vector<CharRange>& out) {
  constexpr char32_t kOffset = U'a' - U'A';
  const CharSet small = set.Intersect(CharSet{{U'a', U'z'}});
  for (const CharRange& range : small.ranges()) {
    out.push_back({range.first - kOffset, range.last - kOffset});
  }
  const CharSet capital = set.Intersect(CharSet{{U'A', U'Z'}});
  for (const CharRange& range : capital.ranges()) {
    out.push_back({range.first + kOffset, range.last + kOffset});
  }
}

// The groups as FoldNarrowly sees them, found once: a pattern may ask for every literal.
const std::vector<std::vector<char32_t>>& NarrowGroups() {
  static const auto groups = [] {
    std::vector<std::vector<char32_t>> narrow;
    for (std::vector<char32_t> group : CaseGroups()) {
      std::erase_if(group, [](char32_t c) { return !InNarrowBlocks(c); });
      if (group.size() > 1) narrow.push_back(std::move(group));
    }
    return narrow;
  }();
  return groups;
}

void AddGroups(const CharSet& set, const std::vector<std::vector<char32_t>>& groups,
               std::vector<CharRange>& out) {
  for (const auto& group : groups) {
    if (std::ranges::none_of(group, [&](char32_t c) { return set.Contains(c); })) continue;
    for (const char32_t c : group) out.push_back({c, c});
  }
}

}  // namespace

CharSet FoldNarrowly(const CharSet& set) {
  std::vector<CharRange> out(set.ranges().begin(), set.ranges().end());
  AddAsciiCases(set, out);
  const bool is_ascii = set.empty() || set.ranges().back().last < 0x80;
  if (!is_ascii) AddGroups(set, NarrowGroups(), out);
  return CharSet(std::move(out));
}

CharSet FoldWidely(const CharSet& set) {
  std::vector<CharRange> out(set.ranges().begin(), set.ranges().end());
  AddGroups(set, CaseGroups(), out);
  return CharSet(std::move(out));
}

}  // namespace sglrun::grammar
