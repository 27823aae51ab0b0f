// Compiles a grammar of a test.
#pragma once

#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {

inline Result<std::shared_ptr<const CompiledGrammar>, GrammarError> Compile(
    const Grammar& grammar, const Limits& limits = {}) {
  Budget budget(limits);
  return CompiledGrammar::Compile(grammar, budget);
}

}  // namespace sglrun::grammar
