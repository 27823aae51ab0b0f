// What making a sketch deterministic asks of it: the edges of a state, what is reached without
// taking anything, and numbers for sets of states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/unsigned_index.h"
#include "grammar/matcher/determinize.h"

namespace sglrun::grammar {

// The edges of a sketch by the states that they leave, those of kNothing apart.
class SketchIndex {
 public:
  void Load(const Sketch& sketch) {
    begin_.assign(U(sketch.states) + 1, 0);
    nothing_begin_.assign(U(sketch.states) + 1, 0);
    accepting_.assign(U(sketch.states), 0);
    seen_.assign(U(sketch.states), 0);
    round_ = 0;
    for (const Sketch::Edge& edge : sketch.edges) ++BeginOf(edge)[U(edge.from) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::partial_sum(nothing_begin_.begin(), nothing_begin_.end(), nothing_begin_.begin());
    edges_.resize(begin_.back());
    nothing_.resize(nothing_begin_.back());
    at_ = begin_;
    nothing_at_ = nothing_begin_;
    for (const Sketch::Edge& edge : sketch.edges) {
      if (IsNothing(edge)) {
        nothing_[nothing_at_[U(edge.from)]++] = edge.to;
      } else {
        edges_[at_[U(edge.from)]++] = {edge.symbol, edge.to};
      }
    }
    for (const std::int32_t state : sketch.accepting) accepting_[U(state)] = 1;
  }

  std::size_t state_count() const { return accepting_.size(); }
  std::span<const Machine::Edge> EdgesOf(std::int32_t state) const {
    return std::span(edges_).subspan(begin_[U(state)], begin_[U(state) + 1] - begin_[U(state)]);
  }
  bool Accepts(std::int32_t state) const { return accepting_[U(state)] != 0; }
  // Whether Close of it alone gives itself.
  bool IsClosed(std::int32_t state) const {
    return nothing_begin_[U(state)] == nothing_begin_[U(state) + 1] && Matters(state);
  }

  // The states that some of `from` reach without taking anything, themselves included. States
  // without edges of their own only pass on; leaving them out makes more sets equal.
  void Close(std::span<const std::int32_t> from, std::vector<std::int32_t>& out) {
    ++round_;
    stack_.clear();
    out.clear();
    for (const std::int32_t state : from) Reach(state);
    while (!stack_.empty()) {
      const std::int32_t state = stack_.back();
      stack_.pop_back();
      if (Matters(state)) out.push_back(state);
      for (std::uint32_t i = nothing_begin_[U(state)]; i < nothing_begin_[U(state) + 1]; ++i) {
        Reach(nothing_[i]);
      }
    }
    if (out.size() > 1) std::sort(out.begin(), out.end());
  }

 private:
  bool Matters(std::int32_t state) const {
    return Accepts(state) || begin_[U(state)] != begin_[U(state) + 1];
  }
  static bool IsNothing(const Sketch::Edge& edge) {
    return edge.symbol.kind == Symbol::Kind::kNothing;
  }
  std::vector<std::uint32_t>& BeginOf(const Sketch::Edge& edge) {
    return IsNothing(edge) ? nothing_begin_ : begin_;
  }
  void Reach(std::int32_t state) {
    if (std::exchange(seen_[U(state)], round_) != round_) stack_.push_back(state);
  }

  std::vector<std::uint32_t> begin_, nothing_begin_, at_, nothing_at_;
  std::vector<Machine::Edge> edges_;
  std::vector<std::int32_t> nothing_;
  std::vector<std::uint8_t> accepting_;
  std::vector<std::uint64_t> seen_;  // the round that met a state last
  std::uint64_t round_ = 0;
  std::vector<std::int32_t> stack_;
};

// Sets of states, numbered as they are met. Most are one state of a text that is spelled out: those
// are known without a look at their content.
class SketchSets {
 public:
  void Clear(std::size_t states) {
    alone_.assign(states, kUnknown);
    content_.clear();
    number_.clear();
    sets_.Clear();
  }
  std::int32_t NumberOf(std::span<const std::int32_t> set) {
    return set.size() == 1 ? NumberOf(set.front()) : NumberOfSet(set);
  }
  std::int32_t NumberOf(std::int32_t state) {
    std::int32_t& number = alone_[U(state)];
    if (number == kUnknown) number = Append(~state);
    return number;
  }

  std::int32_t size() const { return static_cast<std::int32_t>(content_.size()); }
  bool IsAlone(std::int32_t number) const { return content_[U(number)] < 0; }
  std::int32_t Alone(std::int32_t number) const { return ~content_[U(number)]; }
  // Of a set that is not one state. Valid until the next NumberOf.
  std::span<const std::int32_t> operator[](std::int32_t number) const {
    return sets_[content_[U(number)]];
  }

 private:
  static constexpr std::int32_t kUnknown = -1;

  std::int32_t NumberOfSet(std::span<const std::int32_t> set) {
    const std::int32_t id = sets_.Intern(set);
    if (U(id) == number_.size()) number_.push_back(Append(id));
    return number_[U(id)];
  }
  std::int32_t Append(std::int32_t content) {
    content_.push_back(content);
    return size() - 1;
  }

  std::vector<std::int32_t> alone_;    // by state, the number of the set of it alone
  std::vector<std::int32_t> content_;  // by number: an id in sets_, or ~state
  std::vector<std::int32_t> number_;   // by id
  SequencePool sets_;
};

}  // namespace sglrun::grammar
