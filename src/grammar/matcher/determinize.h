// From a sketch to a Machine.
#pragma once

#include <memory>
#include <vector>

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// A nondeterministic automaton as it is drawn: a list of edges, those of kNothing take nothing.
// State 0 is the start.
struct Sketch {
  struct Edge {
    std::int32_t from = 0;
    Symbol symbol;
    std::int32_t to = 0;
  };
  std::int32_t states = 1;
  std::vector<Edge> edges;
  std::vector<std::int32_t> accepting;

  void Clear() {
    states = 1;
    edges.clear();
    accepting.clear();
  }
  std::int32_t AddState() { return states++; }
  // The first of `count` new states.
  std::int32_t AddStates(std::size_t count) {
    const std::int32_t first = states;
    states += static_cast<std::int32_t>(count);
    return first;
  }
  void AddEdge(std::int32_t from, Symbol symbol, std::int32_t to) {
    edges.push_back({from, symbol, to});
  }
};

// What the sketch spells from state 0 to an accepting state, without the empty text. Minimal,
// unless it is large and cyclic. Where making it deterministic would need very many states it stays
// nondeterministic (several edges of a state take the same symbol); only speed depends on it.
Result<Machine, GrammarError> Determinize(const Sketch& sketch, Budget& budget);

// The same for many sketches, one after the other: keeps its memory.
class Determinizer {
 public:
  Determinizer();
  ~Determinizer();
  Result<Machine, GrammarError> Run(const Sketch& sketch, Budget& budget);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

// The same from a deterministic automaton over bytes, which is taken as minimal already.
Machine FromDfa(const Dfa& dfa);

}  // namespace sglrun::grammar
