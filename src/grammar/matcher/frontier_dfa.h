// Frontiers as states of an automaton that is made while it is walked: each step from one frontier
// by one byte is computed once. For walks over the trie of a vocabulary, which come by the same
// places thousands of times.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/frontier.h"

namespace sglrun::grammar {

class FrontierDfa {
 public:
  static constexpr std::int32_t kDead = 0;
  static constexpr bool kStepsAreCheap = false;
  // The steps of one mask: many tokens share them.
  static std::int64_t MostSteps(const Limits& limits) { return 10 * limits.steps_per_token; }

  FrontierDfa(const Program& program, Stacks& stacks, const Limits& limits);

  std::int32_t Intern(const Frontier& frontier);
  std::int32_t Next(std::int32_t from, std::uint8_t byte) {
    const std::size_t row = row_begin_[static_cast<std::size_t>(from)];
    if (row != kNoRow && rows_[row + byte] != kUnknown) return rows_[row + byte];
    return Step(from, byte);
  }
  // Where a text stands when a machine called from these sites has just ended.
  std::int32_t Return(std::span<const Site> sites);
  const Frontier& At(std::int32_t id) const { return frontiers_[static_cast<std::size_t>(id)]; }
  bool Left(std::int32_t id) const { return At(id).left; }
  // A walk took more work than one mask may: what it says is of no use.
  bool exhausted() const { return exhausted_; }
  std::int64_t work() const { return stepper_.work(); }

 private:
  static constexpr std::size_t kNoRow = ~std::size_t{0};
  static constexpr std::int32_t kUnknown = -1;

  struct ByteRange {
    std::uint8_t first, last;  // inclusive
  };

  bool MayStep();
  std::int32_t Step(std::int32_t from, std::uint8_t byte);
  ByteRange AlikeAround(const Frontier& frontier, std::uint8_t byte) const;

  const Program& program_;
  const Limits& limits_;
  Stepper stepper_;
  std::vector<Frontier> frontiers_;
  std::unordered_multimap<std::size_t, std::int32_t> ids_;
  std::vector<std::size_t> row_begin_;  // by frontier; into rows_
  std::vector<std::int32_t> rows_;      // 256 targets per row
  Frontier scratch_;
  bool exhausted_ = false;
};

// Calls visit(node, frontier) for every node of nodes[begin, end) that `start` can reach; the nodes
// are whole subtrees whose roots are at one depth, and `start` stands at their parents.
template <class Visit>
void WalkTrie(std::span<const Vocabulary::Node> nodes, std::int32_t begin, std::int32_t end,
              FrontierDfa& dfa, std::int32_t start, Visit visit) {
  if (begin >= end) return;
  std::int32_t path[257];
  path[nodes[static_cast<std::size_t>(begin)].depth - 1] = start;
  for (std::int32_t i = begin; i < end;) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const std::int32_t at = dfa.Next(path[node.depth - 1], node.byte);
    if (at == FrontierDfa::kDead) {
      i = node.subtree_end;
      continue;
    }
    path[node.depth] = at;
    visit(i, at);
    ++i;
  }
}

}  // namespace sglrun::grammar
