// The return stacks of machines: a graph of immutable, interned nodes. A node is a set of sites,
// each a place to continue at and the node below; equal sets are one node, so equal futures are
// equal numbers. Everything that was called at one place of the text for one machine shares a node,
// which keeps ambiguity polynomial.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "grammar/matcher/program.h"

namespace sglrun::grammar {

using StackId = std::int32_t;

struct Site {
  // >= 0: the state to continue in. Else one of the two below, or a counted repetition.
  std::int32_t target = 0;
  // Of a counted repetition: members finished before the one under way. Of a limit: the tokens or
  // characters that have begun. Of distinct elements: those so far (Stacks::Seen); of an element:
  // where it begins in the text.
  std::int32_t done = 0;
  StackId below = -1;

  static constexpr std::int32_t kRoot = -1;  // the grammar itself has ended
  static constexpr std::int32_t kOpen = -2;  // unknown: whoever walks a machine alone looks here
  static constexpr std::int32_t OfCount(std::int32_t count_edge) { return -3 - count_edge; }
  bool IsCount() const { return target <= -3; }
  std::int32_t count_edge() const { return -3 - target; }

  friend auto operator<=>(const Site&, const Site&) = default;
};

// Two 64-bit halves of a content hash: equal in any two Stacks for equal futures.
struct Shape {
  std::uint64_t a = 0, b = 0;

  friend auto operator<=>(const Shape&, const Shape&) = default;
};
Shape MixShapes(Shape a, Shape b);

class Stacks {
 public:
  // Counts are distinguished in shapes only as far as the next `clip` members matter.
  Stacks(const Program& program, std::int64_t clip);

  StackId root() const { return 0; }
  StackId open() const { return 1; }
  // Sites sorted and distinct.
  StackId Intern(std::span<const Site> sites);
  // The limit on characters that the site belongs to; nullptr when it is another kind of site.
  const Program::CountEdge* CharLimitOf(const Site& site) const {
    if (!site.IsCount() || !CountOf(site).of_chars()) return nullptr;
    return &CountOf(site);
  }
  std::span<const Site> SitesOf(StackId id) const {
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    return {sites_.data() + node.begin, node.count};
  }
  const Shape& ShapeOf(StackId id) const { return nodes_[static_cast<std::size_t>(id)].shape; }

  // Whether an element that must differ from others is under way, or may follow.
  bool HoldsDistinct(StackId id) const { return nodes_[static_cast<std::size_t>(id)].distinct; }

  // Elements of an array that must differ, as a list from the last to the first; the list 0 is
  // empty.
  struct Seen {
    std::int32_t before = 0;
    Hash128 key;       // equal for equal values
    std::string text;  // without white space
  };
  const Seen& SeenAt(std::int32_t list) const { return seen_[static_cast<std::size_t>(list) - 1]; }
  bool HasSeen(std::int32_t list, const Hash128& key) const;
  std::int32_t AddSeen(std::int32_t list, const Hash128& key, std::string text);

  // Nodes made after Mark() are forgotten by Release(): walks that only look ahead leave no trace.
  struct Position {
    std::size_t nodes, sites, seen;
  };
  Position Mark() const { return {nodes_.size(), sites_.size(), seen_.size()}; }
  void Release(Position position);
  // Drops all nodes that are not reachable from `ids`, and renumbers the others.
  void KeepOnly(std::span<StackId* const> ids);
  // The memory of the nodes; the same for the same text on every machine.
  std::size_t bytes() const {
    return nodes_.size() * sizeof(Node) + sites_.size() * sizeof(Site) +
           slots_.size() * sizeof(StackId) + seen_.size() * sizeof(Seen) + seen_bytes_;
  }

 private:
  struct Node {
    std::uint32_t begin = 0, count = 0;
    std::uint64_t hash = 0;
    Shape shape;
    bool distinct = false;
  };

  const Program::CountEdge& CountOf(const Site& site) const;
  Shape ShapeOfSite(const Site& site) const;
  std::size_t SlotOf(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  void FillSlots(std::size_t count);
  bool IsDistinct(const Site& site) const;
  void KeepSeen();

  const Program* program_;
  std::int64_t clip_;
  std::vector<Node> nodes_;
  std::vector<Site> sites_;
  std::vector<StackId> slots_;  // open addressing; -1: free
  std::vector<Seen> seen_;
  std::size_t seen_bytes_ = 0;  // of their texts
};

}  // namespace sglrun::grammar
