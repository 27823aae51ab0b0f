// A deterministic automaton whose edges are classes of symbols: the form in which the operations of
// dfa.h work. An operation turns its Dfas into tables over one alphabet, computes a table, and
// turns that into the minimal Dfa.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grammar/automaton/alphabet.h"
#include "grammar/automaton/dfa.h"
#include "grammar/automaton/work.h"

namespace sglrun::grammar {

// A Dfa whose edges are grouped by target: each group carries one label.
struct LabelledDfa {
  struct Edge {
    LabelId label = 0;
    std::int32_t target = 0;
  };
  std::vector<std::size_t> begin{0};  // edges of state s: [begin[s], begin[s + 1])
  std::vector<Edge> edges;
  std::vector<bool> accepting;
};
LabelledDfa Label(const Dfa& dfa, Labels& labels);

struct ClassTable {
  struct Cell {
    ClassId symbol = 0;
    std::int32_t target = 0;
  };
  std::vector<std::size_t> begin{0};  // cells of state s, by symbol: [begin[s], begin[s + 1])
  std::vector<Cell> cells;
  std::vector<bool> accepting;  // state 0 is the start; no states: the empty language

  std::size_t state_count() const { return accepting.size(); }
  std::span<const Cell> Row(std::size_t state) const {
    return std::span(cells).subspan(begin[state], begin[state + 1] - begin[state]);
  }
  void EndRow(bool accepts) {
    begin.push_back(cells.size());
    accepting.push_back(accepts);
  }
};
std::optional<ClassTable> Tabulate(const LabelledDfa& dfa, const Alphabet& alphabet, Work& work);

// The minimal automaton of the table's language, its states numbered as a breadth-first walk in the
// order of symbols meets them: equal languages have equal results.
DfaResult ToMinimalDfa(const ClassTable& table, const Alphabet& alphabet, Work& work);
// The same of an automaton, nullopt where a text leads back to a state of its own.
std::optional<Dfa> MinimizeWithoutLoops(const Dfa& dfa, Work& work);
// The same for a table that is minimal already.
DfaResult ToDfa(const ClassTable& minimal, std::int32_t start, const Alphabet& alphabet,
                Work& work);

}  // namespace sglrun::grammar
