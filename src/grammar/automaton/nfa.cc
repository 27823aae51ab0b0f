#include "grammar/automaton/nfa.h"

#include "grammar/automaton/class_table.h"

namespace sglrun::grammar {

Nfa::State Nfa::AddState() {
  accepting_.push_back(false);
  anything_.push_back(false);
  return state_count() - 1;
}

void Nfa::AddEdge(State from, State to, std::uint32_t first, std::uint32_t last) {
  const SymbolRange range{first, last};
  edges_.push_back({from, labels_.Intern({&range, 1}), to});
}

void Nfa::AddEdge(State from, State to, const CharSet& chars) {
  if (chars.empty()) return;
  scratch_.clear();
  for (const CharRange& range : chars.ranges()) scratch_.push_back({range.first, range.last});
  edges_.push_back({from, labels_.Intern(scratch_), to});
}

void Nfa::AcceptAnything(State state) {
  if (AcceptsAnything(state)) return;
  AddEdge(state, state, CharSet::All());
  Accept(state);
  anything_[static_cast<std::size_t>(state)] = true;
}

void Nfa::AddDfa(State from, State to, const Dfa& dfa) {
  const LabelledDfa labelled = Label(dfa, labels_);
  const State base = state_count();
  for (std::size_t i = 0; i < labelled.accepting.size(); ++i) {
    const State state = AddState();
    for (std::size_t e = labelled.begin[i]; e < labelled.begin[i + 1]; ++e) {
      edges_.push_back({state, labelled.edges[e].label, base + labelled.edges[e].target});
    }
    if (labelled.accepting[i]) AddEpsilon(state, to);
  }
  if (!dfa.states.empty()) AddEpsilon(from, base);
}

}  // namespace sglrun::grammar
