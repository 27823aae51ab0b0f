// From a sketch to a Machine.
#pragma once

#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// What the sketch spells from state 0 to an accepting state, without the empty text. Minimal,
// unless it is large and cyclic. Where making it deterministic would need very many states it stays
// nondeterministic (several edges of a state take the same symbol); only speed depends on it.
Result<Machine, GrammarError> Determinize(const Machine& sketch, Budget& budget);

// The same from a deterministic automaton over bytes, which is taken as minimal already.
Machine FromDfa(const Dfa& dfa);

}  // namespace sglrun::grammar
