// A nondeterministic automaton over ranges of symbols, with epsilon edges: used to build regular
// languages before they are made deterministic.
//
//   Nfa nfa;  // state 0 is the start
//   const Nfa::State end = nfa.AddState();
//   nfa.AddEdge(0, end, 'a', 'z');
//   nfa.Accept(end);
//   SGLRUN_ASSIGN_OR_RETURN(const Dfa dfa, Determinize(nfa, budget));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/automaton/alphabet.h"
#include "grammar/automaton/dfa.h"
#include "text/char_set.h"

namespace sglrun::grammar {

class Nfa {
 public:
  using State = std::int32_t;

  struct Edge {
    State from = 0;
    LabelId label = 0;
    State to = 0;
  };
  struct EpsilonEdge {
    State from = 0;
    State to = 0;
  };

  Nfa() { AddState(); }

  State AddState();
  void AddEdge(State from, State to, std::uint32_t first, std::uint32_t last);
  void AddEdge(State from, State to, const CharSet& chars);
  void AddEpsilon(State from, State to) { epsilons_.push_back({from, to}); }
  // A copy of `dfa` that leads from one state to another.
  void AddDfa(State from, State to, const Dfa& dfa);
  void Accept(State state) { accepting_[static_cast<std::size_t>(state)] = true; }
  // From here on every text over scalar values is accepted. Sets that hold such a state are not
  // distinguished: after a pattern was found, nothing else matters.
  void AcceptAnything(State state);

  State state_count() const { return static_cast<State>(accepting_.size()); }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const EpsilonEdge> epsilons() const { return epsilons_; }
  bool IsAccepting(State state) const { return accepting_[static_cast<std::size_t>(state)]; }
  bool AcceptsAnything(State state) const { return anything_[static_cast<std::size_t>(state)]; }
  const Labels& labels() const { return labels_; }

 private:
  Labels labels_;
  std::vector<bool> accepting_, anything_;
  std::vector<Edge> edges_;
  std::vector<EpsilonEdge> epsilons_;
  std::vector<SymbolRange> scratch_;
};

// The minimal automaton of the same language. `doing` starts the sentence of an error.
DfaResult Determinize(const Nfa& nfa, Budget& budget, const char* doing = "an automaton");
// The minimal automaton of the texts that both accept. `b` is made deterministic only for texts of
// `a`.
DfaResult Intersect(const Dfa& a, const Nfa& b, Budget& budget, const char* doing);

}  // namespace sglrun::grammar
