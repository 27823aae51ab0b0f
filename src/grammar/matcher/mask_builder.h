// Puts the mask of a frontier together: for each item what its state says by itself, and, where
// its machine may end inside a token, what the callers say of the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/matcher/frontier_dfa.h"
#include "grammar/matcher/mask_cache.h"

namespace sglrun::grammar {

class MaskBuilder {
 public:
  // Leaves nodes behind in `stacks`; the caller forgets them.
  MaskBuilder(const Program& program, Stacks& stacks, MaskCache& cache, const Limits& limits);

  // Sets bits of words, which are 0 before. False when it takes too much work.
  bool Fill(const Frontier& frontier, std::span<std::uint32_t> words);
  // The same for a first token, which loses a leading space.
  bool FillWithoutSpace(const Frontier& frontier, std::span<std::uint32_t> words);

 private:
  class Bytes;  // a set of bytes

  const Program::CountEdge& CountOf(const Site& site) const {
    return program_.count_edges[static_cast<std::size_t>(site.count_edge())];
  }
  // `callers` of all items in this state.
  bool FillState(StateId state, std::vector<Site> callers);
  bool FillAlone(StateId state, std::span<const Site> callers);
  // `counts`: of repetitions whose body the state is in.
  bool FillLoops(StateId state, std::vector<Site> counts);
  void LeaveLoop(StateId state, const LoopMask& mask, std::span<const Site> places,
                 std::int64_t needed, std::int64_t allowed);
  void FillTokens(StateId state);
  // The frontier behind a machine that has just ended, for the sites it was called from.
  std::int32_t Behind(std::span<const Site> callers);
  Bytes FirstBytes(std::int32_t frontier) const;

  const Program& program_;
  Stacks& stacks_;
  MaskCache& cache_;
  const Vocabulary& vocabulary_;
  FrontierDfa dfa_;
  std::span<std::uint32_t> words_;
};

}  // namespace sglrun::grammar
