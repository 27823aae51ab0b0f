// The complement of a language: missing edges of a state lead to a new state that accepts
// everything, and acceptance is inverted. A minimal automaton stays minimal. A product would give
// the same result with much more work, and most exclusions of a schema are complements.
#include "grammar/automaton/class_table.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

class Complementer {
 public:
  Complementer(const Dfa& of, Work& work)
      : of_(of), any_(AnyText().states.front()), work_(work), number_(of.states.size() + 1, -1) {}

  DfaResult Run() {
    if (of_.states.empty()) return AnyText();
    if (TakesAnything(0)) return NoText();
    Dfa out;
    NumberOf(0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t state = order_[i];
      out.states.push_back(state == sink() ? Sink() : Turned(state));
      edges_ += out.states.back().edges.size();
      if (!work_.Step(1 + out.states.back().edges.size()) || !work_.HasRoomFor(order_.size()) ||
          !work_.HasMemoryFor(edges_)) {
        return work_.error();
      }
    }
    return out;
  }

 private:
  std::size_t sink() const { return of_.states.size(); }

  // The one state from which no text is left out; it has no counterpart.
  bool TakesAnything(std::size_t state) const {
    const Dfa::State& s = of_.states[state];
    if (!s.accepting || s.edges.size() != any_.edges.size()) return false;
    for (std::size_t i = 0; i < s.edges.size(); ++i) {
      if (U(s.edges[i].target) != state || s.edges[i].first != any_.edges[i].first ||
          s.edges[i].last != any_.edges[i].last) {
        return false;
      }
    }
    return true;
  }

  std::int32_t NumberOf(std::size_t state) {
    std::int32_t& number = number_[state];
    if (number < 0) {
      number = static_cast<std::int32_t>(order_.size());
      order_.push_back(state);
    }
    return number;
  }

  Dfa::State Sink() {
    Dfa::State out = any_;
    for (Dfa::Edge& edge : out.edges) edge.target = NumberOf(sink());
    return out;
  }

  Dfa::State Turned(std::size_t state) {
    const Dfa::State& s = of_.states[state];
    Dfa::State out;
    out.accepting = !s.accepting;
    std::size_t next = 0;
    for (const Dfa::Edge& part : any_.edges) {  // of the alphabet
      std::uint32_t from = part.first;
      for (; next < s.edges.size() && s.edges[next].last <= part.last; ++next) {
        const Dfa::Edge& edge = s.edges[next];
        if (from < edge.first) out.edges.push_back({from, edge.first - 1, NumberOf(sink())});
        from = edge.last + 1;
        if (TakesAnything(U(edge.target))) continue;
        out.edges.push_back({edge.first, edge.last, NumberOf(U(edge.target))});
      }
      if (from <= part.last) out.edges.push_back({from, part.last, NumberOf(sink())});
    }
    return out;
  }

  const Dfa& of_;
  const Dfa::State any_;
  Work& work_;
  std::vector<std::int32_t> number_;  // by state
  std::vector<std::size_t> order_;    // states of the result
  std::size_t edges_ = 0;
};

}  // namespace

DfaResult ComplementText(const Dfa& a, Budget& budget) {
  Work work(budget, "an exclusion of texts");
  return Complementer(a, work).Run();
}

}  // namespace sglrun::grammar
