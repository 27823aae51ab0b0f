// States of an automaton without loops, created from the end: equal contents share one state, so
// the result is minimal.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "grammar/automaton/sequence_pool.h"

namespace sglrun::grammar {

class StatePool {
 public:
  // A state under construction: whether it accepts, then first, last and target of every edge.
  using Content = std::vector<std::int32_t>;

  static void Start(Content& content, bool accepts) { content.assign(1, accepts ? 1 : 0); }
  // In the order of symbols; neighbours with equal targets become one.
  static void AddEdge(Content& content, std::uint32_t first, std::uint32_t last,
                      std::int32_t target);

  std::int32_t Intern(const Content& content) { return states_.Intern(content); }
  std::size_t numbers() const { return states_.numbers(); }
  // What the state spells. States are numbered as a breadth-first walk meets them, as those of
  // ToMinimalDfa are.
  Dfa Spelled(std::int32_t root) const;

 private:
  SequencePool states_;
};

}  // namespace sglrun::grammar
