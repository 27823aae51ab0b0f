// Minimisation of automata with missing edges in O(m log m), after Antti Valmari, "Fast brief
// practical DFA minimization" (2012): blocks of states and bundles of edges are refined against
// each other. No sink state is needed, so sparse automata stay sparse.
#include <algorithm>
#include <numeric>

#include "grammar/automaton/class_table.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

using Index = std::int32_t;
constexpr Index kNoState = -1;

// A partition of 0..n-1 of which marked elements can be split off.
class Partition {
 public:
  explicit Partition(std::size_t count)
      : elements_(count), place_(count), set_of_(count, 0), marked_{0} {
    std::iota(elements_.begin(), elements_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
    if (count > 0) first_ = {0}, past_ = {static_cast<Index>(count)};
  }
  // One set for each run of equal keys. `sorted`: the elements in the order of their keys.
  template <class SameKey>
  Partition(std::vector<Index> sorted, SameKey same)
      : elements_(std::move(sorted)), place_(elements_.size()), set_of_(elements_.size()) {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (i == 0 || !same(elements_[i - 1], elements_[i])) {
        if (i > 0) past_.push_back(static_cast<Index>(i));
        first_.push_back(static_cast<Index>(i));
      }
      place_[U(elements_[i])] = static_cast<Index>(i);
      set_of_[U(elements_[i])] = size() - 1;
    }
    if (!elements_.empty()) past_.push_back(static_cast<Index>(elements_.size()));
    marked_.assign(first_.size(), 0);
  }

  Index size() const { return static_cast<Index>(first_.size()); }
  Index SetOf(Index element) const { return set_of_[U(element)]; }
  std::span<const Index> Members(Index set) const {
    return std::span(elements_).subspan(U(first_[U(set)]), U(past_[U(set)] - first_[U(set)]));
  }

  void Mark(Index element) {
    const auto set = U(SetOf(element));
    const Index to = first_[set] + marked_[set], from = place_[U(element)];
    if (from < to) return;  // marked already
    std::swap(elements_[U(from)], elements_[U(to)]);
    place_[U(elements_[U(from)])] = from;
    place_[U(elements_[U(to)])] = to;
    if (marked_[set]++ == 0) touched_.push_back(static_cast<Index>(set));
  }

  // Every touched set becomes its marked and its other elements; the smaller part gets the new
  // number. That choice bounds how often an element is renumbered by log n.
  void SplitTouched() {
    for (const Index set : touched_) Split(U(set));
    touched_.clear();
  }

 private:
  void Split(std::size_t set) {
    const Index border = first_[set] + marked_[set];
    const bool marked_is_smaller = marked_[set] <= past_[set] - border;
    marked_[set] = 0;
    if (border == past_[set]) return;
    const Index fresh = size();
    if (marked_is_smaller) {
      first_.push_back(first_[set]);
      past_.push_back(border);
      first_[set] = border;
    } else {
      first_.push_back(border);
      past_.push_back(past_[set]);
      past_[set] = border;
    }
    marked_.push_back(0);
    for (const Index element : Members(fresh)) set_of_[U(element)] = fresh;
  }

  std::vector<Index> elements_, place_, set_of_;
  std::vector<Index> first_, past_, marked_;  // of a set
  std::vector<Index> touched_;
};

// Edges of a table as arrays, and those that end in each state.
struct Edges {
  std::vector<Index> tail, head;
  std::vector<ClassId> symbol;
  std::vector<Index> incoming_begin, incoming;

  void Add(Index from, ClassId by, Index to) {
    tail.push_back(from);
    symbol.push_back(by);
    head.push_back(to);
  }
  std::size_t size() const { return tail.size(); }
  void IndexIncoming(std::size_t states) {
    incoming_begin.assign(states + 1, 0);
    for (const Index to : head) ++incoming_begin[U(to) + 1];
    std::partial_sum(incoming_begin.begin(), incoming_begin.end(), incoming_begin.begin());
    incoming.resize(size());
    std::vector<Index> next = incoming_begin;
    for (std::size_t e = 0; e < size(); ++e)
      incoming[U(next[U(head[e])]++)] = static_cast<Index>(e);
  }
  std::span<const Index> Into(Index state) const {
    const Index begin = incoming_begin[U(state)];
    return std::span(incoming).subspan(U(begin), U(incoming_begin[U(state) + 1] - begin));
  }
};

std::vector<bool> ReachedFromStart(const ClassTable& table) {
  std::vector<bool> reached(table.state_count());
  std::vector<Index> stack{0};
  reached[0] = true;
  while (!stack.empty()) {
    const Index state = stack.back();
    stack.pop_back();
    for (const ClassTable::Cell& cell : table.Row(U(state))) {
      if (reached[U(cell.target)]) continue;
      reached[U(cell.target)] = true;
      stack.push_back(cell.target);
    }
  }
  return reached;
}

// The useful part of a table: states on a way from the start to acceptance.
struct Trimmed {
  std::vector<Index> accepting;
  std::size_t state_count = 0;
  Edges edges;
  Index start = kNoState;  // kNoState: the empty language
};

Trimmed Trim(const ClassTable& table) {
  const std::vector<bool> reached = ReachedFromStart(table);
  Edges edges;
  std::vector<Index> stack;
  std::vector<bool> useful(table.state_count());
  for (std::size_t s = 0; s < table.state_count(); ++s) {
    if (!reached[s]) continue;
    for (const auto& cell : table.Row(s))
      edges.Add(static_cast<Index>(s), cell.symbol, cell.target);
    if (table.accepting[s]) useful[s] = true, stack.push_back(static_cast<Index>(s));
  }
  edges.IndexIncoming(table.state_count());
  while (!stack.empty()) {
    const Index state = stack.back();
    stack.pop_back();
    for (const Index e : edges.Into(state)) {
      if (useful[U(edges.tail[U(e)])]) continue;
      useful[U(edges.tail[U(e)])] = true;
      stack.push_back(edges.tail[U(e)]);
    }
  }
  Trimmed out;
  if (!useful[0]) return out;
  std::vector<Index> number(table.state_count(), kNoState);
  for (std::size_t s = 0; s < table.state_count(); ++s) {
    if (!useful[s]) continue;
    number[s] = static_cast<Index>(out.state_count++);
    if (table.accepting[s]) out.accepting.push_back(number[s]);
  }
  out.start = number[0];
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Index from = number[U(edges.tail[e])], to = number[U(edges.head[e])];
    if (from != kNoState && to != kNoState) out.edges.Add(from, edges.symbol[e], to);
  }
  out.edges.IndexIncoming(out.state_count);
  return out;
}

std::vector<Index> EdgesBySymbol(const Edges& edges, std::int32_t class_count) {
  std::vector<Index> next(U(class_count) + 1);
  for (const ClassId symbol : edges.symbol) ++next[U(symbol) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Index> sorted(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    sorted[U(next[U(edges.symbol[e])]++)] = static_cast<Index>(e);
  }
  return sorted;
}

// Blocks of states that accept the same texts.
std::optional<Partition> Refine(const Trimmed& in, std::int32_t class_count, Work& work) {
  const Edges& edges = in.edges;
  Partition blocks(in.state_count);
  for (const Index state : in.accepting) blocks.Mark(state);
  blocks.SplitTouched();
  Partition bundles(EdgesBySymbol(edges, class_count),
                    [&](Index a, Index b) { return edges.symbol[U(a)] == edges.symbol[U(b)]; });
  Index block = 1;  // a bundle's heads lie in one block, or anywhere but in numbered ones: skip 0
  for (Index bundle = 0; bundle < bundles.size(); ++bundle) {
    if (!work.Step(bundles.Members(bundle).size())) return std::nullopt;
    for (const Index e : bundles.Members(bundle)) blocks.Mark(edges.tail[U(e)]);
    blocks.SplitTouched();
    for (; block < blocks.size(); ++block) {
      for (const Index state : blocks.Members(block)) {
        if (!work.Step(1 + edges.Into(state).size())) return std::nullopt;
        for (const Index e : edges.Into(state)) bundles.Mark(e);
      }
      bundles.SplitTouched();
    }
  }
  return blocks;
}

// Writes a block as a state: cells of its classes become sorted ranges, joined where they touch.
void Expand(std::span<const ClassTable::Cell> row, const Alphabet& alphabet,
            std::vector<Dfa::Edge>& scratch, std::vector<Dfa::Edge>& out) {
  scratch.clear();
  for (const ClassTable::Cell& cell : row) {
    for (const SymbolRange& range : alphabet.RangesOf(cell.symbol)) {
      scratch.push_back({range.first, range.last, cell.target});
    }
  }
  std::ranges::sort(scratch, {}, &Dfa::Edge::first);
  std::size_t kept = 0;
  for (const Dfa::Edge& edge : scratch) {
    if (kept > 0 && scratch[kept - 1].target == edge.target &&
        scratch[kept - 1].last + 1 == edge.first) {
      scratch[kept - 1].last = edge.last;
    } else {
      scratch[kept++] = edge;
    }
  }
  out.assign(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(kept));
}

// One row a block, taken from any of its states, sorted by symbol.
ClassTable Quotient(const Trimmed& in, const Partition& blocks) {
  std::vector<Index> representative(U(blocks.size()));
  for (Index b = 0; b < blocks.size(); ++b) representative[U(b)] = blocks.Members(b).front();
  std::vector<bool> accepts(U(blocks.size()));
  for (const Index state : in.accepting) accepts[U(blocks.SetOf(state))] = true;

  ClassTable out;
  out.begin.assign(U(blocks.size()) + 1, 0);
  const auto counts = [&](std::size_t e) {
    const Index from = in.edges.tail[e];
    return representative[U(blocks.SetOf(from))] == from;
  };
  for (std::size_t e = 0; e < in.edges.size(); ++e) {
    if (counts(e)) ++out.begin[U(blocks.SetOf(in.edges.tail[e])) + 1];
  }
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.cells.resize(out.begin.back());
  std::vector<std::size_t> next = out.begin;
  for (std::size_t e = 0; e < in.edges.size(); ++e) {  // a state's edges come by symbol
    if (!counts(e)) continue;
    out.cells[next[U(blocks.SetOf(in.edges.tail[e]))]++] = {in.edges.symbol[e],
                                                            blocks.SetOf(in.edges.head[e])};
  }
  out.accepting = std::move(accepts);
  return out;
}

}  // namespace

DfaResult ToMinimalDfa(const ClassTable& table, const Alphabet& alphabet, Work& work) {
  if (table.state_count() == 0) return Dfa{};
  const Trimmed trimmed = Trim(table);
  if (trimmed.start == kNoState) return Dfa{};
  const auto blocks = Refine(trimmed, alphabet.class_count(), work);
  if (!blocks) return work.error();
  return ToDfa(Quotient(trimmed, *blocks), blocks->SetOf(trimmed.start), alphabet, work);
}

DfaResult ToDfa(const ClassTable& minimal, std::int32_t start, const Alphabet& alphabet,
                Work& work) {
  std::vector<Index> number(minimal.state_count(), kNoState);
  std::vector<Index> order{start};
  number[U(order[0])] = 0;
  Dfa out;
  out.states.reserve(minimal.state_count());
  std::vector<Dfa::Edge> scratch;
  std::size_t edge_count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Dfa::State& state = out.states.emplace_back();
    state.accepting = minimal.accepting[U(order[i])];
    Expand(minimal.Row(U(order[i])), alphabet, scratch, state.edges);
    for (Dfa::Edge& edge : state.edges) {
      Index& n = number[U(edge.target)];
      if (n == kNoState) {
        n = static_cast<Index>(order.size());
        order.push_back(edge.target);
      }
      edge.target = n;
    }
    edge_count += state.edges.size();
    if (!work.Step(1 + scratch.size()) || !work.HasMemoryFor(edge_count)) return work.error();
  }
  return out;
}

}  // namespace sglrun::grammar
