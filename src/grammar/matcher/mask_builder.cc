#include "grammar/matcher/mask_builder.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <map>
#include <tuple>

#include "grammar/matcher/trie_walk.h"

namespace sglrun::grammar {
namespace {

// Where a machine may end at more places of the trie, the suffixes after them are merged first.
constexpr std::size_t kFewExits = 32;

// States that accept at least this number of bytes are wide: they stay alive in most of the trie.
constexpr int kManyBytes = 64;
// Up to this number of wide states, or of states of any kind, each is walked on its own.
constexpr std::size_t kFewWide = 2, kFewGroups = 32;
constexpr std::int64_t kMostStepsTogether = 200'000;

// The text tokens that have no bit.
class UnsetTokens {
 public:
  UnsetTokens(std::span<const std::uint32_t> words, const Vocabulary& vocabulary)
      : nodes_(vocabulary.nodes()) {
    const auto ids = vocabulary.sorted_ids();
    next_.resize(ids.size() + 1);
    next_[ids.size()] = static_cast<std::int32_t>(ids.size());
    for (std::size_t t = ids.size(); t-- > 0;) {
      next_[t] = GetBit(words, ids[t]) ? next_[t + 1] : static_cast<std::int32_t>(t);
    }
  }
  // Whether there are any at a node of the trie or below.
  bool AnyBelow(std::int32_t node) const {
    const Vocabulary::Node& n = nodes_[static_cast<std::size_t>(node)];
    return next_[static_cast<std::size_t>(n.first_token)] <
           nodes_[static_cast<std::size_t>(n.subtree_end)].first_token;
  }

 private:
  std::span<const Vocabulary::Node> nodes_;
  std::vector<std::int32_t> next_;  // by place in the order of the trie: the first from there on
};

}  // namespace

class MaskBuilder::Bytes : public std::bitset<256> {
 public:
  ByteClasses Classes() const {
    ByteClasses classes = 0;
    for (int byte = 0; byte < 256; ++byte) {
      if (test(static_cast<std::size_t>(byte)))
        classes |= ClassesOf(static_cast<std::uint8_t>(byte));
    }
    return classes;
  }
};

MaskBuilder::MaskBuilder(const Program& program, Stacks& stacks, MaskCache& cache,
                         const Limits& limits, std::int64_t most_work, std::string& text)
    : program_(program),
      stacks_(stacks),
      cache_(cache),
      vocabulary_(*cache.vocabulary()),
      limits_(limits),
      dfa_(program, stacks, limits),
      elements_(program, stacks, text),
      most_work_(most_work) {}

bool MaskBuilder::Fill(const Frontier& frontier, std::span<std::uint32_t> words) {
  words_ = words;
  if (program_.has_distinct) return FillDistinct(frontier);
  std::vector<Group> groups = GroupsOf(frontier);
  if (TogetherIsCheaper(groups)) {
    // What one state allows need not be asked of the others, and mostly that is nearly everything.
    const auto widest = std::ranges::max_element(
        groups, {}, [&](const Group& group) { return BytesTaken(group.state); });
    if (!FillGroup(*widest)) return false;
    groups.erase(widest);
    if (FillTogether(groups, kMostStepsTogether)) return work() <= most_work_ && !dfa_.exhausted();
  }
  for (const Group& group : groups) {
    if (dfa_.exhausted() || !FillGroup(group)) return false;
  }
  return !dfa_.exhausted();
}

std::vector<MaskBuilder::Group> MaskBuilder::GroupsOf(const Frontier& frontier) const {
  const std::span<const Item> items = frontier.items;  // by state
  std::vector<Group> groups;
  for (std::size_t i = 0; i < items.size();) {
    const std::size_t first = i;
    while (i < items.size() && items[i].state == items[first].state) ++i;
    groups.push_back({items[first].state, items.subspan(first, i - first)});
  }
  return groups;
}

int MaskBuilder::BytesTaken(StateId state) const {
  int bytes = 0;
  for (const Program::ByteEdge& edge : program_.BytesOf(state)) bytes += edge.last - edge.first + 1;
  return bytes;
}

// A walk for each state is shared with other frontiers, and other grammars; many of them are not
// worth it.
bool MaskBuilder::TogetherIsCheaper(std::span<const Group> groups) const {
  if (groups.size() <= kFewWide) return false;
  std::size_t wide = 0;
  for (const Group& group : groups) wide += BytesTaken(group.state) >= kManyBytes ? 1 : 0;
  return wide > kFewWide || groups.size() > kFewGroups;
}

bool MaskBuilder::FillGroup(const Group& group) {
  std::vector<Site> callers;
  for (const Item& item : group.items) {
    const auto sites = stacks_.SitesOf(item.stack);
    callers.insert(callers.end(), sites.begin(), sites.end());
  }
  if (group.items.size() > 1) {
    std::sort(callers.begin(), callers.end());
    callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  }
  return FillState(group.state, std::move(callers)) && work() <= most_work_;
}

// One walk by all the items over the tokens that have no bit yet. False when it takes too many
// steps: what it has found by then is right, but not all.
bool MaskBuilder::FillTogether(std::span<const Group> groups, std::int64_t most_steps) {
  Frontier frontier;
  for (const Group& group : groups) {
    FillTokens(group.state);
    frontier.items.insert(frontier.items.end(), group.items.begin(), group.items.end());
  }
  FrontierDfa dfa(program_, stacks_, limits_);
  const auto nodes = vocabulary_.nodes();
  const UnsetTokens unset(words_, vocabulary_);
  std::int32_t path[257];
  path[0] = dfa.Intern(frontier);
  const auto within_bounds = [&] { return dfa.work() <= most_steps; };
  for (std::int32_t i = 1; i < nodes[0].subtree_end && within_bounds();) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const bool is_open = unset.AnyBelow(i);
    const std::int32_t at =
        is_open ? dfa.Next(path[node.depth - 1], node.byte) : FrontierDfa::kDead;
    if (at == FrontierDfa::kDead) {
      i = node.subtree_end;
      continue;
    }
    path[node.depth] = at;
    if (dfa.At(at).unchecked) {
      unchecked_.push_back(i);
    } else {
      TakeTokens(i, i + 1);
    }
    ++i;
  }
  state_work_ += dfa.work();
  return within_bounds();
}

// Whether an element may end depends on all of its text, so tokens in which one ends or begins, and
// those that may repeat an earlier one, are tried by themselves. Inside an element all is as ever.
bool MaskBuilder::FillDistinct(const Frontier& frontier) {
  const std::vector<Group> groups = GroupsOf(frontier);
  for (const Group& group : groups) {
    const Program::State& state = program_.state(group.state);
    const bool plain = program_.machines[static_cast<std::size_t>(state.machine)].plain;
    if (!plain || state.counts_chars) continue;
    const std::shared_ptr<const StateMask> mask = cache_.MaskOf(group.state);
    if (!mask) return false;
    state_work_ += mask->work();
    mask->OrInto(words_, vocabulary_);
  }
  if (!FillTogether(groups, FrontierDfa::MostSteps(limits_))) return false;
  for (const std::int32_t node : unchecked_) {
    CheckTokens(frontier, node);
    if (work() > most_work_) return false;
  }
  const Repeats repeats = elements_.RepeatsAt(frontier);
  const std::vector<std::string_view> rests(repeats.rests.begin(), repeats.rests.end());
  CheckRepeats(frontier, 1, vocabulary_.nodes()[0].subtree_end, rests, repeats.place);
  return work() <= most_work_;
}

// Sets or clears the bits of the tokens that end at the node.
void MaskBuilder::CheckTokens(const Frontier& frontier, std::int32_t node) {
  const auto nodes = vocabulary_.nodes();
  const auto ids = vocabulary_.sorted_ids();
  const auto first = static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].first_token);
  const auto end = static_cast<std::size_t>(nodes[static_cast<std::size_t>(node) + 1].first_token);
  if (first == end) return;
  const bool takes = elements_.Takes(frontier, vocabulary_.Text(ids[first]));
  for (std::size_t t = first; t < end; ++t) {
    if (takes) {
      SetBit(words_, ids[t]);
    } else {
      ClearBit(words_, ids[t]);
    }
  }
}

// The tokens in nodes[begin, end) that go along with one of the rests. They are few.
void MaskBuilder::CheckRepeats(const Frontier& frontier, std::int32_t begin, std::int32_t end,
                               const std::vector<std::string_view>& rests, JsonPlace place) {
  if (rests.empty()) return;
  const auto nodes = vocabulary_.nodes();
  for (std::int32_t i = begin; i < end; i = nodes[static_cast<std::size_t>(i)].subtree_end) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const auto c = static_cast<char>(node.byte);
    std::vector<std::string_view> left;
    for (const std::string_view rest : rests) {
      if (place.Skips(c)) {
        left.push_back(rest);
      } else if (rest.starts_with(c)) {
        left.push_back(rest.substr(1));
      }
    }
    if (left.empty() || work() > most_work_) continue;
    CheckTokens(frontier, i);
    JsonPlace after = place;
    after.Read(c);
    CheckRepeats(frontier, i + 1, node.subtree_end, left, after);
  }
}

bool MaskBuilder::FillWithoutSpace(const Frontier& frontier, std::span<std::uint32_t> words) {
  if (!Fill(frontier, words)) return false;
  const auto nodes = vocabulary_.nodes();
  const auto ids = vocabulary_.sorted_ids();
  std::int32_t space = 1;
  const std::int32_t all = nodes[0].subtree_end;
  while (space < all && nodes[static_cast<std::size_t>(space)].byte != ' ') {
    space = nodes[static_cast<std::size_t>(space)].subtree_end;
  }
  if (space >= all) return true;
  const std::int32_t end = nodes[static_cast<std::size_t>(space)].subtree_end;
  const auto first_token = [&](std::int32_t node) {
    return static_cast<std::size_t>(nodes[static_cast<std::size_t>(node)].first_token);
  };
  for (std::size_t t = first_token(space); t < first_token(end); ++t) ClearBit(words, ids[t]);
  // A space alone leaves the text where it is.
  TakeTokens(space, space + 1);
  WalkTrie(nodes, space + 1, end, dfa_, dfa_.Intern(frontier),
           [&](std::int32_t node, std::int32_t at) {
             const std::int32_t token = nodes[static_cast<std::size_t>(node)].first_token;
             if (dfa_.At(at).unchecked &&
                 token < nodes[static_cast<std::size_t>(node) + 1].first_token) {
               const std::string_view text = vocabulary_.Text(ids[static_cast<std::size_t>(token)]);
               if (!elements_.Takes(frontier, text.substr(1))) return;
             }
             TakeTokens(node, node + 1);
           });
  for (const Item& item : frontier.items) FillTokens(item.state);
  return !dfa_.exhausted();
}

bool MaskBuilder::FillState(StateId state, std::vector<Site> callers) {
  FillTokens(state);
  if (program_.BytesOf(state).empty()) return true;
  if (program_.state(state).counts_chars) return FillLimited(state, callers);
  const MachineId machine = program_.state(state).machine;
  if (program_.machines[static_cast<std::size_t>(machine)].prefix_code) {
    // A machine may also return for a caller that ends with it; then the loop is not its own.
    const auto is_loop = [&](const Site& site) {
      return site.IsCount() && CountOf(site).body == machine && !CountOf(site).of_tokens();
    };
    const auto loops = std::stable_partition(callers.begin(), callers.end(), std::not_fn(is_loop));
    if (loops != callers.end() && !FillLoops(state, {loops, callers.end()})) return false;
    callers.erase(loops, callers.end());
    if (callers.empty()) return true;
  }
  return FillAlone(state, callers);
}

bool MaskBuilder::FillAlone(StateId state, std::span<const Site> callers) {
  const std::shared_ptr<const StateMask> mask = cache_.MaskOf(state);
  if (!mask) return false;
  state_work_ += mask->work();
  mask->OrInto(words_, vocabulary_);
  if (mask->exits().size() == 0) return true;
  const std::int32_t behind = dfa_.Return(callers);
  if (behind == FrontierDfa::kDead) return true;
  const Bytes first = FirstBytes(behind);
  if (first.none()) return true;
  const auto nodes = vocabulary_.nodes();
  const auto take = [&](std::int32_t node, std::int32_t) { TakeTokens(node, node + 1); };
  if (mask->exits().size() <= kFewExits) {
    mask->exits().ForEach([&](std::int32_t exit) {
      const std::int32_t end = nodes[static_cast<std::size_t>(exit)].subtree_end;
      for (std::int32_t child = exit + 1; child < end;) {
        const Vocabulary::Node& node = nodes[static_cast<std::size_t>(child)];
        if (first[node.byte]) WalkTrie(nodes, child, node.subtree_end, dfa_, behind, take);
        child = node.subtree_end;
      }
    });
    return true;
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (!first[static_cast<std::size_t>(byte)]) continue;
    const SuffixTrie& trie = mask->ExitsBefore(static_cast<std::uint8_t>(byte), vocabulary_);
    WalkTrie(trie.nodes, 1, trie.nodes[0].subtree_end, dfa_, behind,
             [&](std::int32_t node, std::int32_t) {
               const auto end = trie.nodes[static_cast<std::size_t>(node) + 1].first_token;
               for (auto t = trie.nodes[static_cast<std::size_t>(node)].first_token; t < end; ++t) {
                 SetBit(words_, trie.tokens[static_cast<std::size_t>(t)].id);
               }
             });
  }
  return true;
}

// Far from its bounds a limit forbids nothing: what the state says by itself holds, and the machine
// may end wherever it can, or nowhere yet.
bool MaskBuilder::FillLimited(StateId state, std::span<const Site> callers) {
  const std::int64_t most = vocabulary_.longest_text();
  std::vector<Site> free;
  bool nowhere = false;
  for (const Site& site : callers) {
    const Program::CountEdge* limit = stacks_.CharLimitOf(site);
    if (limit == nullptr) {
      free.push_back(site);
      continue;
    }
    const LengthSets& lengths = program_.LengthsOf(*limit);
    const std::int64_t needed = limit->min - site.done, allowed = limit->max - site.done;
    const bool far = allowed >= most + lengths.horizon();
    if (far && needed <= 0) {
      free.push_back({.target = limit->target, .below = site.below});
    } else if (far && needed > most && lengths.endless()) {
      nowhere = true;
    } else {
      FillNearLimit(state, site);
    }
  }
  if (!free.empty()) {
    std::sort(free.begin(), free.end());
    return FillAlone(state, free);
  }
  if (!nowhere) return true;
  const std::shared_ptr<const StateMask> mask = cache_.MaskOf(state);
  if (!mask) return false;
  state_work_ += mask->work();
  mask->OrInto(words_, vocabulary_);
  return true;
}

// Walks the tokens with the number of characters that they have begun.
void MaskBuilder::FillNearLimit(StateId state, const Site& site) {
  const Program::CountEdge& limit = CountOf(site);
  const LengthSets& lengths = program_.LengthsOf(limit);
  const auto nodes = vocabulary_.nodes();
  const Site after{.target = limit.target, .below = site.below};
  const std::int32_t behind = dfa_.Return({&after, 1});
  const Bytes first = FirstBytes(behind);
  const ByteClasses first_classes = first.Classes();
  TableWalk walk{Table(program_, state)};
  AlikeTable alike;
  struct Place {
    std::int32_t at = 0;
    std::int64_t done = 0;  // characters begun
  };
  Place path[257];
  path[0] = {walk.table.Index(state), site.done};
  const StateId start = program_.machines[static_cast<std::size_t>(limit.body)].start;
  for (std::int32_t i = 1; i < nodes[0].subtree_end; ++state_work_) {
    const Vocabulary::Node& node = nodes[static_cast<std::size_t>(i)];
    const Place from = path[node.depth - 1];
    if (node.depth > 1 && first[node.byte] && walk.Left(from.at) && from.done >= limit.min) {
      WalkTrie(nodes, i, node.subtree_end, dfa_, behind,
               [&](std::int32_t n, std::int32_t) { TakeTokens(n, n + 1); });
    }
    const std::int32_t at = walk.Next(from.at, node.byte);
    const std::int64_t done = from.done + (program_.state(start + from.at).inner ? 0 : 1);
    if (at == TableWalk::kDead || !program_.CanEnd(limit, start + at, done)) {
      i = node.subtree_end;
      continue;
    }
    path[node.depth] = {at, done};
    const std::int64_t height = vocabulary_.heights()[static_cast<std::size_t>(i)];
    const ByteClasses below = vocabulary_.below()[static_cast<std::size_t>(i)];
    const bool far = done >= limit.min && limit.max - done >= height + lengths.horizon();
    const bool whole = height > 0 && far && !(walk.Left(at) && (below & first_classes) != 0) &&
                       alike.Of(at, walk).Hold(below, static_cast<int>(height));
    const std::int32_t end = whole ? node.subtree_end : i + 1;
    TakeTokens(i, end);
    i = end;
  }
}

bool MaskBuilder::FillLoops(StateId state, std::vector<Site> counts) {
  // Every token needs fewer members than it has bytes.
  const std::int64_t most = vocabulary_.longest_text();
  const auto needed = [&](const Site& site) { return CountOf(site).min - site.done; };
  const auto allowed = [&](const Site& site) {
    return CountOf(site).max == kUnbounded ? most : CountOf(site).max - site.done;
  };
  const std::shared_ptr<const LoopMask> mask = cache_.LoopOf(state);
  state_work_ += mask->work();
  std::int64_t inside = 0;
  for (const Site& site : counts) inside = std::max(inside, allowed(site));
  mask->OrInto(inside, words_, vocabulary_);
  // Counts that lead to one place, the most advanced last: neighbours mostly allow one more member.
  std::sort(counts.begin(), counts.end(), [](const Site& a, const Site& b) {
    return std::tie(a.target, a.below, a.done) < std::tie(b.target, b.below, b.done);
  });
  // By how many members the tokens may take: the places after, mostly all of one kind.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Site>> places;
  for (std::size_t i = counts.size(); i > 0;) {
    const Site& last = counts[--i];
    const std::int64_t from = needed(last);
    std::int64_t to = allowed(last);
    while (i > 0 && counts[i - 1].target == last.target && counts[i - 1].below == last.below &&
           needed(counts[i - 1]) <= to + 1) {
      to = std::max(to, allowed(counts[--i]));
    }
    if (from >= most) continue;
    places[{std::max<std::int64_t>(from, 0), std::min(to, most)}].push_back(
        {.target = CountOf(last).target, .below = last.below});
  }
  for (auto& [members, behind] : places) {
    if (dfa_.exhausted()) return true;
    std::sort(behind.begin(), behind.end());
    LeaveLoop(state, *mask, behind, members.first, members.second);
  }
  return true;
}

// Tokens that leave the repetition after this number of members.
void MaskBuilder::LeaveLoop(StateId state, const LoopMask& mask, std::span<const Site> places,
                            std::int64_t needed, std::int64_t allowed) {
  const std::int32_t behind = dfa_.Return(places);
  if (behind == FrontierDfa::kDead) return;
  const Bytes first = FirstBytes(behind);
  for (int byte = 0; byte < 256; ++byte) {
    if (!first[static_cast<std::size_t>(byte)]) continue;
    const SuffixTrie& trie =
        mask.ExitsBefore(static_cast<std::uint8_t>(byte), program_, state, vocabulary_);
    WalkTrie(trie.nodes, 1, trie.nodes[0].subtree_end, dfa_, behind,
             [&](std::int32_t node, std::int32_t) {
               const auto end = trie.nodes[static_cast<std::size_t>(node) + 1].first_token;
               for (auto t = trie.nodes[static_cast<std::size_t>(node)].first_token; t < end; ++t) {
                 const SuffixTrie::Token& token = trie.tokens[static_cast<std::size_t>(t)];
                 if (needed <= token.members && token.members <= allowed) SetBit(words_, token.id);
               }
             });
  }
}

// Sets the bits of the tokens that end at the nodes [first, last) of the trie.
void MaskBuilder::TakeTokens(std::int32_t first, std::int32_t last) {
  const auto nodes = vocabulary_.nodes();
  const auto ids = vocabulary_.sorted_ids();
  const std::int32_t end = nodes[static_cast<std::size_t>(last)].first_token;
  for (std::int32_t t = nodes[static_cast<std::size_t>(first)].first_token; t < end; ++t) {
    SetBit(words_, ids[static_cast<std::size_t>(t)]);
  }
}

void MaskBuilder::FillTokens(StateId state) {
  for (const Program::TokenEdge& edge : program_.TokensOf(state)) {
    const Program::TokenSet& set = program_.token_sets[static_cast<std::size_t>(edge.set)];
    if (!set.excluded) {
      for (const std::int32_t id : set.ids) {
        if (vocabulary_.IsToken(id)) SetBit(words_, id);
      }
      continue;
    }
    for (std::int32_t id = 0; id < vocabulary_.logit_width(); ++id) {
      if (vocabulary_.IsToken(id) && set.Contains(id)) SetBit(words_, id);
    }
  }
}

MaskBuilder::Bytes MaskBuilder::FirstBytes(std::int32_t frontier) const {
  Bytes bytes;
  for (const Item& item : dfa_.At(frontier).items) {
    for (const Program::ByteEdge& edge : program_.BytesOf(item.state)) {
      for (int byte = edge.first; byte <= edge.last; ++byte) {
        bytes.set(static_cast<std::size_t>(byte));
      }
    }
  }
  return bytes;
}

}  // namespace sglrun::grammar
