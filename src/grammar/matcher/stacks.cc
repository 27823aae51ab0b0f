#include "grammar/matcher/stacks.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"

namespace sglrun::grammar {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t HashOf(std::span<const Site> sites) {
  std::uint64_t hash = sites.size();
  for (const Site& site : sites) {
    const auto target = static_cast<std::uint32_t>(site.target);
    const auto done = static_cast<std::uint32_t>(site.done);
    hash = MixSeeds(hash, static_cast<std::uint64_t>(target) << 32 | done);
    hash = MixSeeds(hash, static_cast<std::uint32_t>(site.below));
  }
  return hash;
}

}  // namespace

Shape MixShapes(Shape a, Shape b) {
  constexpr std::uint64_t kOther = 0xD6E8FEB86659FD93ull;  // an odd constant: the halves differ
  return {MixSeeds(a.a, b.a), MixSeeds(a.b * kOther, b.b)};
}

Stacks::Stacks(const Program& program, std::int64_t clip) : program_(&program), clip_(clip) {
  slots_.assign(kFirstSlots, -1);
  for (const std::int32_t target : {Site::kRoot, Site::kOpen}) {
    const Site site{.target = target};
    Intern({&site, 1});
  }
}

const Program::CountEdge& Stacks::CountOf(const Site& site) const {
  return program_->count_edges[static_cast<std::size_t>(site.count_edge())];
}

Shape Stacks::ShapeOfSite(const Site& site) const {
  std::uint64_t left = 0;
  // One token more may go anywhere, so the number of those left makes no difference to the next.
  if (site.IsCount() && !CountOf(site).of_tokens() && !CountOf(site).of_values()) {
    const Program::CountEdge& edge = CountOf(site);
    // Past the horizon all lengths are alike to what comes after the next token.
    const std::int64_t clip =
        clip_ + (edge.of_chars() ? program_->LengthsOf(edge).horizon() : std::int64_t{0});
    const std::int64_t needed = std::clamp<std::int64_t>(edge.min - site.done, 0, clip);
    const std::int64_t allowed =
        edge.max == kUnbounded ? clip : std::min<std::int64_t>(edge.max - site.done, clip);
    left = static_cast<std::uint64_t>(needed) << 32 | static_cast<std::uint64_t>(allowed);
  }
  const std::uint64_t target = static_cast<std::uint32_t>(site.target);
  const Shape below = site.below < 0 ? Shape{1, 2} : ShapeOf(site.below);
  return MixShapes(MixShapes({target, target + 1}, {left, left}), below);
}

bool Stacks::IsDistinct(const Site& site) const {
  if (site.IsCount() && CountOf(site).of_values()) return true;
  return site.below >= 0 && HoldsDistinct(site.below);
}

bool Stacks::HasSeen(std::int32_t list, const Hash128& key) const {
  for (; list > 0; list = SeenAt(list).before) {
    if (SeenAt(list).key == key) return true;
  }
  return false;
}

// Readings of one text that are at the end of one element add it one after the other.
std::int32_t Stacks::AddSeen(std::int32_t list, const Hash128& key, std::string text) {
  constexpr std::size_t kFew = 16;
  const std::size_t size = seen_.size();
  for (std::size_t i = size; i > 0 && i + kFew > size; --i) {
    if (seen_[i - 1].before == list && seen_[i - 1].key == key) return static_cast<std::int32_t>(i);
  }
  seen_bytes_ += text.size();
  seen_.push_back({list, key, std::move(text)});
  return static_cast<std::int32_t>(seen_.size());
}

StackId Stacks::Intern(std::span<const Site> sites) {
  const std::uint64_t hash = HashOf(sites);
  std::size_t slot = SlotOf(hash);
  for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const StackId id = slots_[slot];
    if (nodes_[static_cast<std::size_t>(id)].hash != hash) continue;
    if (std::ranges::equal(SitesOf(id), sites)) return id;
  }
  // Sites are summed, not chained: their order hangs on the numbers of one Stacks.
  Shape shape{sites.size(), sites.size()};
  for (const Site& site : sites) {
    const Shape part = ShapeOfSite(site);
    shape.a += part.a;
    shape.b += part.b;
  }
  const auto id = static_cast<StackId>(nodes_.size());
  nodes_.push_back(
      {.begin = static_cast<std::uint32_t>(sites_.size()),
       .count = static_cast<std::uint32_t>(sites.size()),
       .hash = hash,
       .shape = shape,
       .distinct = std::ranges::any_of(sites, [&](const Site& site) { return IsDistinct(site); })});
  sites_.insert(sites_.end(), sites.begin(), sites.end());
  slots_[slot] = id;
  if (nodes_.size() * 2 > slots_.size()) FillSlots(slots_.size() * 2);
  return id;
}

void Stacks::FillSlots(std::size_t count) {
  slots_.assign(count, -1);
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t slot = SlotOf(nodes_[id].hash);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<StackId>(id);
  }
}

void Stacks::Release(Position position) {
  // The last node found its slot after all others: freeing in reverse order breaks no chain.
  while (nodes_.size() > position.nodes) {
    const auto id = static_cast<StackId>(nodes_.size()) - 1;
    std::size_t slot = SlotOf(nodes_.back().hash);
    while (slots_[slot] != id) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = -1;
    nodes_.pop_back();
  }
  sites_.resize(position.sites);
  for (; seen_.size() > position.seen; seen_.pop_back()) seen_bytes_ -= seen_.back().text.size();
}

// A node lies above those that its sites return to, so one walk down from the last finds all that
// are needed, and one walk up renumbers them without changing the order of sites.
void Stacks::KeepOnly(std::span<StackId* const> ids) {
  std::vector<StackId> names(nodes_.size(), -1);
  constexpr StackId kNeeded = 0;
  names[static_cast<std::size_t>(root())] = names[static_cast<std::size_t>(open())] = kNeeded;
  for (const StackId* id : ids) names[static_cast<std::size_t>(*id)] = kNeeded;
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    if (names[id] < 0) continue;
    for (const Site& site : SitesOf(static_cast<StackId>(id))) {
      if (site.below >= 0) names[static_cast<std::size_t>(site.below)] = kNeeded;
    }
  }
  std::vector<Node> nodes;
  std::vector<Site> sites;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    if (names[id] < 0) continue;
    const auto begin = static_cast<std::uint32_t>(sites.size());
    for (Site site : SitesOf(static_cast<StackId>(id))) {
      if (site.below >= 0) site.below = names[static_cast<std::size_t>(site.below)];
      sites.push_back(site);
    }
    names[id] = static_cast<StackId>(nodes.size());
    nodes.push_back({.begin = begin,
                     .count = nodes_[id].count,
                     .shape = nodes_[id].shape,
                     .distinct = nodes_[id].distinct});
  }
  nodes_ = std::move(nodes);
  sites_ = std::move(sites);
  KeepSeen();
  for (Node& node : nodes_) node.hash = HashOf({sites_.data() + node.begin, node.count});
  for (StackId* id : ids) *id = names[static_cast<std::size_t>(*id)];
  FillSlots(std::max(kFirstSlots, std::bit_ceil(nodes_.size() * 2 + 1)));
}

// Forgets the lists that no site has. A list is numbered above what it goes on from, so their order
// stays, and with it that of sites.
void Stacks::KeepSeen() {
  if (seen_.empty()) return;
  const auto has_list = [&](const Site& site) { return site.IsCount() && CountOf(site).distinct; };
  std::vector<std::int32_t> names(seen_.size() + 1, 0);  // by list; 1: needed
  for (const Site& site : sites_) {
    if (has_list(site)) names[static_cast<std::size_t>(site.done)] = 1;
  }
  for (std::size_t list = seen_.size(); list > 0; --list) {
    if (names[list] != 0) names[static_cast<std::size_t>(seen_[list - 1].before)] = 1;
  }
  names[0] = 0;
  std::vector<Seen> kept;
  seen_bytes_ = 0;
  for (std::size_t list = 1; list < names.size(); ++list) {
    if (names[list] == 0) continue;
    Seen& seen = kept.emplace_back(std::move(seen_[list - 1]));
    seen.before = names[static_cast<std::size_t>(seen.before)];
    seen_bytes_ += seen.text.size();
    names[list] = static_cast<std::int32_t>(kept.size());
  }
  seen_ = std::move(kept);
  for (Site& site : sites_) {
    if (has_list(site)) site.done = names[static_cast<std::size_t>(site.done)];
  }
}

}  // namespace sglrun::grammar
