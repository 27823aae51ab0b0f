// From characters to bytes: every edge of a character automaton becomes the byte strings that spell
// its characters. Most states share the shape of their edges and differ in the targets only, so a
// shape is spelled once, as a template, and filled in for each state.
#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

#include "grammar/automaton/dfa.h"
#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/spelling.h"
#include "grammar/automaton/work.h"

namespace sglrun::grammar {
namespace {

using AppendSpellings = void (*)(char32_t first, char32_t last, std::vector<Spelling>& out);
using EdgeList = std::vector<Dfa::Edge>;

// The content of a node as numbers, for a SequencePool: first, last, target, first, ...
void Flatten(const EdgeList& edges, std::vector<std::int32_t>& out) {
  out.clear();
  for (const Dfa::Edge& edge : edges) {
    out.push_back(static_cast<std::int32_t>(edge.first));
    out.push_back(static_cast<std::int32_t>(edge.last));
    out.push_back(edge.target);
  }
}

// With `targets` in place of the numbers; neighbours with equal targets become one.
template <class Targets>
void Unflatten(std::span<const std::int32_t> content, const Targets& targets, EdgeList& out) {
  out.clear();
  for (std::size_t i = 0; i < content.size(); i += 3) {
    const Dfa::Edge edge{static_cast<std::uint32_t>(content[i]),
                         static_cast<std::uint32_t>(content[i + 1]),
                         targets(static_cast<std::size_t>(content[i + 2]))};
    if (!out.empty() && out.back().last + 1 == edge.first && out.back().target == edge.target) {
      out.back().last = edge.last;
    } else {
      out.push_back(edge);
    }
  }
}

// The spellings of a shape as a tree, then as nodes that share what is equal below them. Targets
// below `slots` are places for those of a state; slots + i is node i.
class Template {
 public:
  Template(const EdgeList& shape, std::int32_t slots, AppendSpellings append) : slots_(slots) {
    std::vector<std::vector<Branch>> tree(1);
    std::vector<Spelling> spellings;
    for (const Dfa::Edge& edge : shape) {
      spellings.clear();
      append(edge.first, edge.last, spellings);
      for (const Spelling& spelling : spellings) Insert(spelling, edge.target, tree);
    }
    Flatten(EdgesOf(0, tree), root_);
  }

  // Shares the inner nodes with those of other states in `nodes`; they are states from `base` on.
  // The edges of the root go to `out`.
  void FillIn(std::span<const std::int32_t> targets, std::int32_t base, SequencePool& nodes,
              EdgeList& out) {
    filled_.assign(targets.begin(), targets.end());
    const auto target = [&](std::size_t i) { return filled_[i]; };
    for (std::int32_t node = 0; node < nodes_.size(); ++node) {  // children come first
      FillInNode(nodes_[node]);
      filled_.push_back(base + nodes.Intern(content_));
    }
    Unflatten(root_, target, out);
  }

  std::size_t size() const { return 1 + static_cast<std::size_t>(nodes_.size()); }

 private:
  static constexpr std::size_t kLeaf = 0;  // the root is not a child

  struct Branch {
    ByteRange bytes;
    std::size_t child = kLeaf;
    std::int32_t slot = 0;  // of a leaf
  };
  using Tree = std::vector<std::vector<Branch>>;

  // As Unflatten does it.
  void FillInNode(std::span<const std::int32_t> content) {
    content_.clear();
    for (std::size_t i = 0; i < content.size(); i += 3) {
      const std::int32_t target = filled_[static_cast<std::size_t>(content[i + 2])];
      const std::size_t size = content_.size();
      if (size > 0 && content_[size - 1] == target && content_[size - 2] + 1 == content[i]) {
        content_[size - 2] = content[i + 1];
      } else {
        content_.insert(content_.end(), {content[i], content[i + 1], target});
      }
    }
  }

  static void Insert(const Spelling& spelling, std::int32_t slot, Tree& tree) {
    std::size_t node = 0;
    for (std::size_t i = 0; i + 1 < spelling.size; ++i) {
      node = Child(node, spelling.bytes[i], tree);
    }
    tree[node].push_back({spelling.bytes[spelling.size - 1], kLeaf, slot});
  }

  static std::size_t Child(std::size_t node, ByteRange bytes, Tree& tree) {
    for (auto branch = tree[node].rbegin(); branch != tree[node].rend(); ++branch) {
      if (branch->bytes == bytes && branch->child != kLeaf) return branch->child;
    }
    tree[node].push_back({bytes, tree.size()});
    tree.emplace_back();
    return tree.size() - 1;
  }

  // As deep as the longest spelling: six.
  EdgeList EdgesOf(std::size_t node, const Tree& tree) {
    EdgeList out;
    for (const Branch& branch : tree[node]) {
      std::int32_t target = branch.slot;
      if (branch.child != kLeaf) {
        std::vector<std::int32_t> content;
        Flatten(EdgesOf(branch.child, tree), content);
        target = slots_ + nodes_.Intern(content);
      }
      out.push_back({branch.bytes.first, branch.bytes.last, target});
    }
    std::ranges::sort(out, {}, &Dfa::Edge::first);
    return out;
  }

  std::int32_t slots_;
  SequencePool nodes_;
  std::vector<std::int32_t> root_;
  std::vector<std::int32_t> filled_, content_;  // of FillIn
};

// Edges with targets numbered by first appearance: what a state has in common with others.
struct Shape {
  EdgeList edges;
  std::vector<std::int32_t> targets;

  void Take(const EdgeList& of_state, std::vector<std::int32_t>& slot_of) {
    edges = of_state;
    targets.clear();
    for (Dfa::Edge& edge : edges) {
      std::int32_t& slot = slot_of[static_cast<std::size_t>(edge.target)];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(targets.size());
        targets.push_back(edge.target);
      }
      edge.target = slot;
    }
    for (const std::int32_t target : targets) slot_of[static_cast<std::size_t>(target)] = -1;
  }
};

// Whether some inner node has the least and the greatest byte of a state between characters: those
// of UTF-8 hardly ever do.
bool AnySameEnds(const Dfa& spelled, std::size_t char_states) {
  std::bitset<0x10000> ends;
  const auto ends_of = [](const Dfa::State& state) {
    return std::size_t{state.edges.front().first} << 8 | state.edges.back().last;
  };
  for (std::size_t s = 0; s < char_states; ++s) {
    const Dfa::State& state = spelled.states[s];
    if (!state.accepting && !state.edges.empty()) ends.set(ends_of(state));
  }
  return std::any_of(spelled.states.begin() + static_cast<std::ptrdiff_t>(char_states),
                     spelled.states.end(),
                     [&](const Dfa::State& state) { return ends.test(ends_of(state)); });
}

// Two states of a character automaton differ, and so do two inner nodes: they are shared by their
// content. What is left is a node inside an escape (after \u001, say) that equals a state between
// characters. Equal ones have edges on the same bytes.
bool MayHoldEqualStates(const Dfa& spelled, std::size_t char_states) {
  if (!AnySameEnds(spelled, char_states)) return false;
  SequencePool between;
  std::vector<std::int32_t> bytes;
  const auto collect = [&](const Dfa::State& state) {
    bytes.clear();
    for (const Dfa::Edge& edge : state.edges) {
      const auto first = static_cast<std::int32_t>(edge.first);
      if (!bytes.empty() && bytes.back() + 1 == first)
        bytes.pop_back();
      else
        bytes.push_back(first);
      bytes.push_back(static_cast<std::int32_t>(edge.last));
    }
  };
  for (std::size_t s = 0; s < char_states; ++s) {
    if (spelled.states[s].accepting) continue;
    collect(spelled.states[s]);
    between.Intern(bytes);
  }
  const std::int32_t known = between.size();
  for (std::size_t s = char_states; s < spelled.states.size(); ++s) {
    collect(spelled.states[s]);
    if (between.Intern(bytes) < known) return true;
  }
  return false;
}

// Numbers the states as a breadth-first walk meets them, as ToMinimalDfa does.
Dfa Renumber(Dfa dfa) {
  std::vector<std::int32_t> number(dfa.states.size(), -1), order{0};
  number[0] = 0;
  Dfa out;
  out.states.reserve(dfa.states.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.states.push_back(std::move(dfa.states[static_cast<std::size_t>(order[i])]));
    for (Dfa::Edge& edge : out.states.back().edges) {
      std::int32_t& n = number[static_cast<std::size_t>(edge.target)];
      if (n < 0) {
        n = static_cast<std::int32_t>(order.size());
        order.push_back(edge.target);
      }
      edge.target = n;
    }
  }
  return out;
}

// States from `first` on are inside characters.
void MarkInner(Dfa& dfa, std::size_t first) {
  for (std::size_t s = first; s < dfa.states.size(); ++s) {
    for (Dfa::Edge& edge : dfa.states[s].edges) {
      edge.first += kContinues;
      edge.last += kContinues;
    }
  }
}

enum class Marks : std::uint8_t { kNone, kContinues };

// `chars` is minimal.
DfaResult SpellOut(const Dfa& chars, Budget& budget, AppendSpellings append, Marks marks) {
  if (chars.states.empty()) return Dfa{};
  Work work(budget, "the bytes of a text");
  const auto base = static_cast<std::int32_t>(chars.states.size());
  SequencePool shapes, nodes;
  std::vector<Template> templates;  // by shape
  std::vector<std::int32_t> slot_of(chars.states.size(), -1), key;
  Shape shape;
  Dfa out;
  for (const Dfa::State& state : chars.states) {
    shape.Take(state.edges, slot_of);
    Flatten(shape.edges, key);
    const auto id = static_cast<std::size_t>(shapes.Intern(key));
    if (id == templates.size()) {
      templates.emplace_back(shape.edges, static_cast<std::int32_t>(shape.targets.size()), append);
    }
    Dfa::State& spelled = out.states.emplace_back();
    spelled.accepting = state.accepting;
    templates[id].FillIn(shape.targets, base, nodes, spelled.edges);
    if (!work.Step(shape.edges.size() + 8 * templates[id].size()) ||
        !work.HasRoomFor(out.states.size() + static_cast<std::size_t>(nodes.size())) ||
        !work.HasMemoryFor(nodes.numbers() + shapes.numbers())) {
      return work.error();
    }
  }
  for (std::int32_t node = 0; node < nodes.size(); ++node) {
    const auto same = [](std::size_t target) { return static_cast<std::int32_t>(target); };
    Unflatten(nodes[node], same, out.states.emplace_back().edges);
  }
  if (marks == Marks::kContinues) {
    MarkInner(out, chars.states.size());
    return Renumber(std::move(out));
  }
  if (MayHoldEqualStates(out, chars.states.size())) return Minimize(out, budget);
  return Renumber(std::move(out));
}

}  // namespace

DfaResult ToUtf8(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, AppendUtf8Spellings, Marks::kNone);
}

DfaResult ToJsonString(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, AppendJsonSpellings, Marks::kNone);
}

DfaResult ToCountableUtf8(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, AppendUtf8Spellings, Marks::kContinues);
}

DfaResult ToCountableJsonString(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, AppendJsonSpellings, Marks::kContinues);
}

}  // namespace sglrun::grammar
