// States of a machine by what they say of others, and machines with one state for each class of
// states: what merging states is made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "grammar/automaton/unsigned_index.h"
#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// The states with an edge to each state, once an edge.
class StatesBefore {
 public:
  explicit StatesBefore(const Machine& machine)
      : begin_(machine.state_count() + 2, 0), before_(machine.edges.size()) {
    for (const Machine::Edge& edge : machine.edges) ++begin_[U(edge.target) + 2];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      for (const Machine::Edge& edge : machine.EdgesOf(s)) {
        before_[begin_[U(edge.target) + 1]++] = static_cast<std::int32_t>(s);
      }
    }
  }
  std::span<const std::int32_t> Of(std::size_t state) const {
    return std::span(before_).subspan(begin_[state], begin_[state + 1] - begin_[state]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::int32_t> before_;
};

// What a state says once targets are replaced by their classes: equal for states to be merged.
class Signature {
 public:
  using Edge = Machine::Edge;

  // False when a target has no class yet.
  bool Take(const Machine& machine, std::size_t state, std::span<const std::int32_t> classes) {
    numbers_.assign(1, machine.accepting[state]);
    bool known = true;
    Edge open;  // a range that the next one may prolong
    bool is_open = false;
    for (const Edge& edge : machine.EdgesOf(state)) {
      const std::int32_t target = classes[U(edge.target)];
      known &= target >= 0;
      const bool byte = edge.symbol.kind == Symbol::Kind::kBytes;
      if (is_open && byte && target == open.target && open.symbol.last + 1 == edge.symbol.first) {
        open.symbol.last = edge.symbol.last;
        continue;
      }
      if (is_open) Put(open);
      open = {edge.symbol, target};
      is_open = byte;
      if (!byte) Put(open);
    }
    if (is_open) Put(open);
    // A nondeterministic state may have several edges on one symbol, now in another order.
    SortEdges();
    return known;
  }
  std::span<const std::int32_t> numbers() const { return numbers_; }

 private:
  static constexpr std::size_t kEdgeNumbers = 3;

  void Put(const Edge& edge) {
    const Symbol& symbol = edge.symbol;
    numbers_.push_back(static_cast<std::int32_t>(symbol.kind) << 16 | symbol.first << 8 |
                       symbol.last);
    numbers_.push_back(symbol.id);
    numbers_.push_back(edge.target);
  }
  void SortEdges() {
    const auto key = [&](std::size_t at) {
      return std::tie(numbers_[at], numbers_[at + 1], numbers_[at + 2]);
    };
    for (std::size_t at = 1 + kEdgeNumbers; at < numbers_.size(); at += kEdgeNumbers) {
      for (std::size_t i = at; i > 1 && key(i) < key(i - kEdgeNumbers); i -= kEdgeNumbers) {
        std::swap_ranges(numbers_.begin() + static_cast<std::ptrdiff_t>(i),
                         numbers_.begin() + static_cast<std::ptrdiff_t>(i + kEdgeNumbers),
                         numbers_.begin() + static_cast<std::ptrdiff_t>(i - kEdgeNumbers));
      }
    }
  }

  std::vector<std::int32_t> numbers_;
};

// One state a class, in the order of first members, so that the start stays state 0. Turns
// `classes` into the numbers of the new states.
Machine Quotient(const Machine& machine, std::vector<std::int32_t>& classes,
                 std::size_t class_count);

}  // namespace sglrun::grammar
