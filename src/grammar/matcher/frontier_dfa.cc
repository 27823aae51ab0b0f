#include "grammar/matcher/frontier_dfa.h"

#include <algorithm>

#include "base/hash.h"

namespace sglrun::grammar {
namespace {

constexpr std::size_t kRowSize = 256;
// Steps from further frontiers are computed again each time: bounds the memory of a walk.
constexpr std::size_t kMostRows = 8192;

std::size_t HashOf(const Frontier& frontier) {
  std::uint64_t hash =
      (frontier.complete ? 1u : 0u) | (frontier.left ? 2u : 0u) | (frontier.unchecked ? 4u : 0u);
  for (const Item& item : frontier.items) {
    hash = MixSeeds(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(item.state)) << 32 |
                              static_cast<std::uint32_t>(item.stack));
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace

FrontierDfa::FrontierDfa(const Program& program, Stacks& stacks, const Limits& limits)
    : program_(program),
      limits_(limits),
      stepper_(program, stacks),
      frontiers_(1),
      row_begin_(1, kNoRow) {}

std::int32_t FrontierDfa::Intern(const Frontier& frontier) {
  // One with too many readings could not be accepted either.
  if (frontier.Dead() || frontier.items.size() > limits_.frontier_items) return kDead;
  const std::size_t hash = HashOf(frontier);
  const auto [begin, end] = ids_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (At(at->second) == frontier) return at->second;
  }
  const auto id = static_cast<std::int32_t>(frontiers_.size());
  frontiers_.push_back(frontier);
  row_begin_.push_back(kNoRow);
  ids_.emplace(hash, id);
  return id;
}

bool FrontierDfa::MayStep() {
  exhausted_ |= stepper_.work() > MostSteps(limits_);
  return !exhausted_;
}

std::int32_t FrontierDfa::Return(std::span<const Site> sites) {
  if (!MayStep()) return kDead;
  stepper_.Return(sites, scratch_);
  return Intern(scratch_);
}

std::int32_t FrontierDfa::Step(std::int32_t from, std::uint8_t byte) {
  if (!MayStep()) return kDead;
  stepper_.StepByte(At(from).items, byte, scratch_);
  scratch_.unchecked |= At(from).unchecked;
  const std::int32_t to = Intern(scratch_);
  std::size_t& row = row_begin_[static_cast<std::size_t>(from)];
  if (row == kNoRow && rows_.size() < kMostRows * kRowSize) {
    row = rows_.size();
    rows_.resize(rows_.size() + kRowSize, kUnknown);
  }
  if (row == kNoRow) return to;
  const auto [first, last] = AlikeAround(At(from), byte);
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(row + first),
            rows_.begin() + static_cast<std::ptrdiff_t>(row + last) + 1, to);
  return to;
}

// The widest range around the byte that no edge of an item begins or ends in: all of it leads to
// the same place.
FrontierDfa::ByteRange FrontierDfa::AlikeAround(const Frontier& frontier, std::uint8_t byte) const {
  ByteRange range{0, 0xFF};
  for (const Item& item : frontier.items) {
    for (const Program::ByteEdge& edge : program_.BytesOf(item.state)) {
      if (edge.first > byte) {  // sorted by first
        range.last = std::min<std::uint8_t>(range.last, edge.first - 1);
        break;
      }
      if (edge.last < byte) {
        range.first = std::max<std::uint8_t>(range.first, edge.last + 1);
      } else {
        range.first = std::max(range.first, edge.first);
        range.last = std::min(range.last, edge.last);
      }
    }
  }
  return range;
}

}  // namespace sglrun::grammar
