#include "grammar/matcher/state_mask.h"

#include <algorithm>
#include <utility>

#include "grammar/matcher/residual.h"

namespace sglrun::grammar {
namespace {

// Collects the tokens of trie nodes that are met in preorder. Neighbours are one range, so that
// states which take nearly everything cost little.
class TokenRanges {
 public:
  explicit TokenRanges(const Vocabulary& vocabulary)
      : nodes_(vocabulary.nodes()), ids_(vocabulary.sorted_ids()) {}

  void Add(std::int32_t node) {
    const std::int32_t begin = nodes_[static_cast<std::size_t>(node)].first_token;
    const std::int32_t end = nodes_[static_cast<std::size_t>(node) + 1].first_token;
    if (begin != end_) {
      Flush();
      begin_ = begin;
    }
    end_ = end;
  }
  std::vector<std::int32_t> Take() {
    Flush();
    return std::move(out_);
  }

 private:
  void Flush() { out_.insert(out_.end(), ids_.begin() + begin_, ids_.begin() + end_); }

  std::span<const Vocabulary::Node> nodes_;
  std::span<const std::int32_t> ids_;
  std::int32_t begin_ = 0, end_ = 0;
  std::vector<std::int32_t> out_;
};

StateId EndOfMachine(const Program& program, MachineId machine) {
  const auto next = static_cast<std::size_t>(machine) + 1;
  return next < program.machines.size() ? program.machines[next].start
                                        : static_cast<StateId>(program.states.size()) - 1;
}

// Walks the trie through members of a prefix code. visit(node, at_start, members): the text up to
// the node is `members` members, and the beginning of one more unless at_start.
template <class Visit>
void WalkMembers(const Program& program, StateId state, const Vocabulary& vocabulary, Visit visit) {
  struct Place {
    StateId state;
    std::int32_t members;
  };
  const StateId start =
      program.machines[static_cast<std::size_t>(program.state(state).machine)].start;
  const auto nodes = vocabulary.nodes();
  const StateId states_end = EndOfMachine(program, program.state(state).machine);
  // A table: the edges of a string's characters are many.
  std::vector<StateId> next_of(static_cast<std::size_t>(states_end - start) * 256, -1);
  for (StateId s = start; s < states_end; ++s) {
    for (const Program::ByteEdge& edge : program.BytesOf(s)) {
      for (int byte = edge.first; byte <= edge.last; ++byte) {
        next_of[static_cast<std::size_t>((s - start) * 256 + byte)] = edge.target;
      }
    }
  }
  Place path[257];
  path[0] = {state, 0};
  const std::int32_t end = nodes[0].subtree_end;
  for (std::int32_t i = 1; i < end;) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    Place place = path[node.depth - 1];
    const StateId next = next_of[static_cast<std::size_t>((place.state - start) * 256 + node.byte)];
    if (next < 0) {
      i = node.subtree_end;
      continue;
    }
    const bool done = program.state(next).accepting;
    place = {done ? start : next, place.members + (done ? 1 : 0)};
    path[node.depth] = place;
    visit(i, done, place.members);
    ++i;
  }
}

}  // namespace

NodeSet::NodeSet(std::vector<std::int32_t> nodes, std::size_t trie_nodes) : size_(nodes.size()) {
  if (nodes.size() * 32 <= trie_nodes) {
    nodes.shrink_to_fit();
    nodes_ = std::move(nodes);
    return;
  }
  bits_.assign(trie_nodes / 64 + 1, 0);
  for (const std::int32_t node : nodes) {
    bits_[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
  }
}

std::size_t ExitsByByte::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [byte, trie] : tries_) bytes += sizeof *trie + trie->MemoryBytes();
  return bytes;
}

std::shared_ptr<const StateMask> StateMask::Of(const Program& program, StateId state,
                                               const Vocabulary& vocabulary, const Limits& limits) {
  Stacks stacks(program, vocabulary.longest_text());
  FrontierDfa dfa(program, stacks, limits);
  Frontier alone;
  alone.items = {{state, stacks.open()}};
  const auto nodes = vocabulary.nodes();
  auto mask = std::make_shared<StateMask>();
  TokenRanges tokens(vocabulary);
  std::vector<std::int32_t> exits;
  WalkTrie(nodes, 1, nodes[0].subtree_end, dfa, dfa.Intern(alone),
           [&](std::int32_t node, std::int32_t frontier) {
             tokens.Add(node);
             const bool goes_on = nodes[static_cast<std::size_t>(node)].subtree_end > node + 1;
             if (goes_on && dfa.Left(frontier)) exits.push_back(node);
           });
  if (dfa.exhausted()) return nullptr;
  mask->inside_ = IdSet(tokens.Take(), vocabulary);
  mask->exits_ = NodeSet(std::move(exits), nodes.size());
  return mask;
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
  struct Range {
    std::int32_t begin, end;
  };
  Pair path[257];
  path[0] = {state, hub};
  auto mask = std::make_shared<StateMask>();
  TokenRanges added(vocabulary), removed(vocabulary);
  std::vector<std::int32_t> exits;
  std::vector<Range> alike;  // nodes of the trie
  for (std::int32_t i = 1; i < nodes[0].subtree_end;) {
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
  auto range = alike.begin();
  hub_mask->exits_.ForEach([&](std::int32_t exit) {
    while (range != alike.end() && range->end <= exit) ++range;
    if (range != alike.end() && range->begin <= exit) exits.push_back(exit);
  });
  std::sort(exits.begin(), exits.end());
  mask->inside_ = IdSet(added.Take(), vocabulary);
  mask->removed_ = removed.Take();
  mask->removed_.shrink_to_fit();
  mask->base_ = std::move(hub_mask);
  mask->exits_ = NodeSet(std::move(exits), nodes.size());
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
    const auto nodes = vocabulary.nodes();
    std::vector<SuffixTrie::Origin> origins;
    exits_.ForEach([&](std::int32_t exit) {
      const std::int32_t end = nodes[static_cast<std::size_t>(exit)].subtree_end;
      for (std::int32_t child = exit + 1; child < end;
           child = nodes[static_cast<std::size_t>(child)].subtree_end) {
        if (nodes[static_cast<std::size_t>(child)].byte == byte) origins.push_back({child, 0});
      }
    });
    return SuffixTrie::Of(origins, vocabulary);
  });
}

std::size_t StateMask::MemoryBytes() const {
  return sizeof *this + inside_.MemoryBytes() + removed_.capacity() * sizeof(std::int32_t) +
         exits_.MemoryBytes() + by_byte_.MemoryBytes();
}

LoopMask::LoopMask(const Program& program, StateId state, const Vocabulary& vocabulary) {
  std::vector<TokenRanges> by_need;
  WalkMembers(program, state, vocabulary, [&](std::int32_t node, bool done, std::int32_t members) {
    const auto need = static_cast<std::size_t>(members + (done ? 0 : 1));
    if (by_need.size() <= need) by_need.resize(need + 1, TokenRanges(vocabulary));
    by_need[need].Add(node);
  });
  for (TokenRanges& tokens : by_need) {
    const std::vector<std::int32_t> ids = tokens.Take();
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    needs_end_.push_back(ids_.size());
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

const SuffixTrie& LoopMask::ExitsBefore(std::uint8_t byte, const Program& program, StateId state,
                                        const Vocabulary& vocabulary) const {
  return by_byte_.Get(byte, [&] {
    const auto nodes = vocabulary.nodes();
    std::vector<SuffixTrie::Origin> origins;
    WalkMembers(program, state, vocabulary,
                [&](std::int32_t node, bool done, std::int32_t members) {
                  if (!done) return;
                  const std::int32_t end = nodes[static_cast<std::size_t>(node)].subtree_end;
                  for (std::int32_t child = node + 1; child < end;
                       child = nodes[static_cast<std::size_t>(child)].subtree_end) {
                    if (nodes[static_cast<std::size_t>(child)].byte != byte) continue;
                    origins.push_back({child, members});
                  }
                });
    return SuffixTrie::Of(origins, vocabulary);
  });
}

std::size_t LoopMask::MemoryBytes() const {
  return sizeof *this + all_.MemoryBytes() + ids_.capacity() * sizeof(std::int32_t) +
         needs_end_.capacity() * sizeof(std::size_t) + by_byte_.MemoryBytes();
}

}  // namespace sglrun::grammar
