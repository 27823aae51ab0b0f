// From expressions to machines: decides what becomes a machine of its own and draws each as a
// nondeterministic sketch, which Determinize makes a Machine.
#pragma once

#include "grammar/matcher/expr_facts.h"
#include "grammar/matcher/machine.h"

namespace sglrun::grammar {

// All machines that the root needs, deterministic except for left recursion: a machine may still
// call itself before it takes anything.
MachinesResult BuildMachines(const Grammar& grammar, const ExprFacts& facts, Budget& budget);

}  // namespace sglrun::grammar
