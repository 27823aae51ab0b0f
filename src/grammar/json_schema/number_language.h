// JSON numbers under constraints as an automaton over bytes.
//
// Without any constraint a number may have an exponent. With one it is written plainly
// (-?(0|[1-9]d*)(.d+)?), an integer as 0|-?[1-9]d*: spellings such as 1e2 and, for an integer, 1.0
// are given up. Values are not: a constraint holds for every spelling of a value, and a set of
// values that is not empty has a spelling.
//
// Runs of digits are capped at 64 on either side of the point (more where a constraint itself is
// longer), 4 in an exponent. A step with a large coefficient lowers the cap to 20 digits before the
// point or, past 300, lifts it: counting multiplies the states by the coefficient.
#pragma once

#include "grammar/automaton/dfa.h"
#include "grammar/json_schema/number_constraints.h"

namespace sglrun::grammar {

// Over bytes, without dead states, and minimal except for steps with coefficients of thousands.
// Empty exactly when no number satisfies the constraints, spelled or not, so IsEmpty proves that
// two conjoined sets are disjoint. kTooLarge: a step whose coefficient (of all steps together)
// passes Step::kLargestCoefficient, bounds of more than 1,000 digits on one side of the point, too
// many states.
DfaResult NumberLanguage(const NumberConstraints& constraints, Budget& budget);

}  // namespace sglrun::grammar
