#include "grammar/matcher/state_mask.h"

#include <algorithm>
#include <utility>

#include "grammar/matcher/residual.h"
#include "grammar/matcher/trie_walk.h"

namespace sglrun::grammar {

std::size_t ExitsByByte::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [byte, trie] : tries_) bytes += sizeof *trie + trie->MemoryBytes();
  return bytes;
}

std::shared_ptr<const StateMask> StateMask::Of(const Program& program, StateId state,
                                               const Vocabulary& vocabulary, const Limits& limits) {
  const MachineId machine = program.state(state).machine;
  auto mask = std::make_shared<StateMask>();
  if (program.machines[static_cast<std::size_t>(machine)].plain) {
    TableWalk walk{Table(program, state)};
    mask->Collect(walk, walk.table.Index(state), vocabulary);
    return mask;
  }
  Stacks stacks(program, vocabulary.longest_text());
  FrontierDfa dfa(program, stacks, limits);
  Frontier alone;
  alone.items = {{state, stacks.open()}};
  mask->Collect(dfa, dfa.Intern(alone), vocabulary);
  mask->work_ += dfa.work();
  return dfa.exhausted() ? nullptr : mask;
}

// `walk` has Next, Left and kStepsAreCheap, as FrontierDfa.
template <class Walk>
void StateMask::Collect(Walk& walk, std::int32_t start, const Vocabulary& vocabulary) {
  const auto nodes = vocabulary.nodes();
  const auto below = vocabulary.below();
  const auto heights = vocabulary.heights();
  AlikeTable alike;
  TokenRanges tokens(vocabulary);
  std::vector<NodeSet::Range> exits;
  std::int32_t path[257];
  path[0] = start;
  for (std::int32_t i = 1; i < nodes[0].subtree_end; ++work_) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const std::int32_t at = walk.Next(path[node.depth - 1], node.byte);
    if (at == Walk::kDead) {
      i = node.subtree_end;
      continue;
    }
    const bool goes_on = node.subtree_end > i + 1;
    std::int32_t end = i + 1;
    if (goes_on && (Walk::kStepsAreCheap || at == path[node.depth - 1])) {
      const auto n = static_cast<std::size_t>(i);
      if (alike.Of(at, walk).Hold(below[n], heights[n])) end = node.subtree_end;
    }
    tokens.Add(i, end);
    path[node.depth] = at;
    if (walk.Left(at)) {
      if (!exits.empty() && exits.back().end == i) {
        exits.back().end = end;
      } else {
        exits.push_back({i, end});
      }
    }
    i = end;
  }
  inside_ = tokens.Set();
  exits_ = NodeSet::InnerNodes(exits, vocabulary);
}

// Walks from both states at once. Where they have become one, all below is alike.
std::shared_ptr<const StateMask> StateMask::Beside(const Program& program, StateId state,
                                                   StateId hub,
                                                   std::shared_ptr<const StateMask> hub_mask,
                                                   const Vocabulary& vocabulary) {
  const auto nodes = vocabulary.nodes();
  const auto at = [&](std::int32_t i) -> const Vocabulary::Node& {
    return nodes[static_cast<std::size_t>(i)];
  };
  const auto next = [&](StateId from, std::uint8_t byte) {
    return from < 0 ? from : NextByByte(program, from, byte);
  };
  struct Pair {
    StateId own, other;  // -1: the text fits no longer
  };
  Pair path[257];
  path[0] = {state, hub};
  auto mask = std::make_shared<StateMask>();
  TokenRanges added(vocabulary), removed(vocabulary);
  std::vector<std::int32_t> exits;
  std::vector<NodeSet::Range> alike;
  mask->work_ = hub_mask->work_;
  for (std::int32_t i = 1; i < nodes[0].subtree_end; ++mask->work_) {
    const Pair& above = path[at(i).depth - 1];
    const Pair here{next(above.own, at(i).byte), next(above.other, at(i).byte)};
    if (here.own == here.other) {
      if (here.own >= 0) alike.push_back({i, at(i).subtree_end});
      i = at(i).subtree_end;
      continue;
    }
    path[at(i).depth] = here;
    if (here.own < 0) {
      removed.Add(i);
    } else {
      if (here.other < 0) added.Add(i);
      const bool goes_on = at(i).subtree_end > i + 1;
      if (goes_on && program.state(here.own).accepting) exits.push_back(i);
    }
    ++i;
  }
  mask->exits_ = NodeSet::Join(std::move(exits), hub_mask->exits_, alike, nodes.size());
  mask->inside_ = added.Set();
  mask->removed_ = removed.Ids();
  mask->removed_.shrink_to_fit();
  mask->base_ = std::move(hub_mask);
  return mask;
}

void StateMask::OrInto(std::span<std::uint32_t> words, const Vocabulary& vocabulary) const {
  if (base_) {
    std::vector<std::int32_t> stay_clear;
    for (const std::int32_t id : removed_) {
      if (!GetBit(words, id)) stay_clear.push_back(id);
    }
    base_->OrInto(words, vocabulary);
    for (const std::int32_t id : stay_clear) ClearBit(words, id);
  }
  inside_.OrInto(words, vocabulary);
}

const SuffixTrie& StateMask::ExitsBefore(std::uint8_t byte, const Vocabulary& vocabulary) const {
  return by_byte_.Get(byte, [&] {
    std::vector<SuffixTrie::Origin> origins;
    for (const std::int32_t node : vocabulary.nodes_with(byte)) {
      if (exits_.Contains(vocabulary.parent(node))) origins.push_back({node, 0});
    }
    return SuffixTrie::Of(origins, vocabulary);
  });
}

std::size_t StateMask::MemoryBytes() const {
  return sizeof *this + inside_.MemoryBytes() + removed_.capacity() * sizeof(std::int32_t) +
         exits_.MemoryBytes() + by_byte_.MemoryBytes();
}

LoopMask::LoopMask(const Program& program, StateId state, const Vocabulary& vocabulary) {
  MemberWalk walk(program, state);
  const auto nodes = vocabulary.nodes();
  struct Range {
    std::int32_t need, begin, end;  // tokens in the order of the trie
  };
  std::vector<Range> ranges;
  MemberWalk::Place path[257];
  path[0] = walk.begin();
  const std::int32_t end = nodes[0].subtree_end;
  for (std::int32_t i = 1; i < end; ++work_) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const MemberWalk::Place place = walk.Next(path[node.depth - 1], node.byte);
    if (MemberWalk::Dead(place)) {
      i = node.subtree_end;
      continue;
    }
    path[node.depth] = place;
    ++i;
    const std::int32_t tokens_end = nodes[static_cast<std::size_t>(i)].first_token;
    if (tokens_end == node.first_token) continue;
    ranges.push_back(
        {place.members + (MemberWalk::AtStart(place) ? 0 : 1), node.first_token, tokens_end});
  }
  // Sorted by counting: needs are small.
  for (const Range& range : ranges) {
    needs_end_.resize(std::max(needs_end_.size(), static_cast<std::size_t>(range.need) + 1), 0);
    needs_end_[static_cast<std::size_t>(range.need)] +=
        static_cast<std::size_t>(range.end - range.begin);
  }
  std::vector<std::size_t> at(needs_end_.size(), 0);
  for (std::size_t need = 1; need < needs_end_.size(); ++need) {
    at[need] = needs_end_[need - 1];
    needs_end_[need] += needs_end_[need - 1];
  }
  ids_.resize(needs_end_.empty() ? 0 : needs_end_.back());
  const auto ids = vocabulary.sorted_ids();
  for (const Range& range : ranges) {
    for (std::int32_t t = range.begin; t < range.end; ++t) {
      ids_[at[static_cast<std::size_t>(range.need)]++] = ids[static_cast<std::size_t>(t)];
    }
  }
  all_ = IdSet(ids_, vocabulary);
}

void LoopMask::OrInto(std::int64_t members, std::span<std::uint32_t> words,
                      const Vocabulary& vocabulary) const {
  if (members + 1 >= static_cast<std::int64_t>(needs_end_.size())) {
    return all_.OrInto(words, vocabulary);
  }
  const std::size_t end = needs_end_[static_cast<std::size_t>(members)];
  if (end <= ids_.size() / 2) {
    for (std::size_t i = 0; i < end; ++i) SetBit(words, ids_[i]);
    return;
  }
  std::vector<std::uint32_t> bits(words.size(), 0);
  all_.OrInto(bits, vocabulary);
  OrAllBut(words, bits, std::span(ids_).subspan(end));
}

// The nodes of one byte are few: the text above each is walked from the root.
const SuffixTrie& LoopMask::ExitsBefore(std::uint8_t byte, const Program& program, StateId state,
                                        const Vocabulary& vocabulary) const {
  return by_byte_.Get(byte, [&] {
    MemberWalk walk(program, state);
    const auto nodes = vocabulary.nodes();
    std::vector<SuffixTrie::Origin> origins;
    for (const std::int32_t i : vocabulary.nodes_with(byte)) {
      const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
      if (node.depth == 1) continue;
      const std::int32_t token =
          vocabulary.sorted_ids()[static_cast<std::size_t>(node.first_token)];  // here or below
      MemberWalk::Place place = walk.begin();
      for (const char c : vocabulary.Text(token).substr(0, node.depth - std::size_t{1})) {
        place = walk.Next(place, static_cast<std::uint8_t>(c));
        if (MemberWalk::Dead(place)) break;
      }
      if (!MemberWalk::Dead(place) && MemberWalk::AtStart(place)) {
        origins.push_back({i, place.members});
      }
    }
    return SuffixTrie::Of(origins, vocabulary);
  });
}

std::size_t LoopMask::MemoryBytes() const {
  return sizeof *this + all_.MemoryBytes() + ids_.capacity() * sizeof(std::int32_t) +
         needs_end_.capacity() * sizeof(std::size_t) + by_byte_.MemoryBytes();
}

}  // namespace sglrun::grammar
