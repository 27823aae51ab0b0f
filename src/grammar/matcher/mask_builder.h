// Combines the mask of a frontier from the masks of its items: the tokens that the state allows by
// itself, and, if its machine may end inside a token, the rests of tokens that the callers allow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/matcher/elements.h"
#include "grammar/matcher/frontier_dfa.h"
#include "grammar/matcher/mask_cache.h"

namespace sglrun::grammar {

class MaskBuilder {
 public:
  // Creates nodes in `stacks`, which the caller releases. `text`: what has been read so far, for
  // elements that must differ; changed meanwhile, and put back.
  MaskBuilder(const Program& program, Stacks& stacks, MaskCache& cache, const Limits& limits,
              std::int64_t most_work, std::string& text);

  // Sets bits of words, which are 0 before. False if it takes more work than allowed for one mask,
  // or more than `most_work` in all.
  bool Fill(const Frontier& frontier, std::span<std::uint32_t> words);
  // The same for a first token, which loses a leading space.
  bool FillWithoutSpace(const Frontier& frontier, std::span<std::uint32_t> words);
  // Steps so far, those that found cached masks of states once included: it depends on the frontier
  // alone, not on what is in the cache.
  std::int64_t work() const { return state_work_ + dfa_.work() + elements_.work(); }

 private:
  class Bytes;  // a set of bytes

  const Program::CountEdge& CountOf(const Site& site) const {
    return program_.count_edges[static_cast<std::size_t>(site.count_edge())];
  }
  // The items of one state, which are neighbours.
  struct Group {
    StateId state = 0;
    std::span<const Item> items;
  };
  std::vector<Group> GroupsOf(const Frontier& frontier) const;
  int BytesTaken(StateId state) const;
  bool TogetherIsCheaper(std::span<const Group> groups) const;
  bool FillGroup(const Group& group);
  bool FillTogether(std::span<const Group> groups, std::int64_t most_steps);
  // Where elements of arrays must differ.
  bool FillDistinct(const Frontier& frontier);
  void CheckTokens(const Frontier& frontier, std::int32_t node);
  void CheckRepeats(const Frontier& frontier, std::int32_t begin, std::int32_t end,
                    const std::vector<std::string_view>& rests, JsonPlace place);
  // `callers` of all items in this state.
  bool FillState(StateId state, std::vector<Site> callers);
  bool FillAlone(StateId state, std::span<const Site> callers);
  // Some of the callers limit the characters of the machine.
  bool FillLimited(StateId state, std::span<const Site> callers);
  void FillNearLimit(StateId state, const Site& limit);
  // `counts`: of repetitions whose body the state is in.
  bool FillLoops(StateId state, std::vector<Site> counts);
  void LeaveLoop(StateId state, const LoopMask& mask, std::span<const Site> places,
                 std::int64_t needed, std::int64_t allowed);
  void FillTokens(StateId state);
  void TakeTokens(std::int32_t first, std::int32_t last);
  Bytes FirstBytes(std::int32_t frontier) const;

  const Program& program_;
  Stacks& stacks_;
  MaskCache& cache_;
  const Vocabulary& vocabulary_;
  const Limits& limits_;
  FrontierDfa dfa_;
  ElementSearch elements_;
  std::vector<std::int32_t> unchecked_;  // nodes of the trie that FillTogether leaves to others
  const std::int64_t most_work_;
  std::int64_t state_work_ = 0;
  std::span<std::uint32_t> words_;
};

}  // namespace sglrun::grammar
