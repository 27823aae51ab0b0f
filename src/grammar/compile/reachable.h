// Whether the tokens of a vocabulary can spell a member of a grammar at all: if not,
// the verdict is `unreachable`.
#pragma once

#include <memory>

#include "base/result.h"
#include "grammar/base/grammar_error.h"
#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/compiled_grammar.h"

namespace sglrun::grammar {

// kUnreachable only when it is proved; a search that takes too long, or more than is left of the
// budget, finds nothing against the grammar. kStopped when the process is asked to stop. A
// vocabulary with a token for every byte is never searched.
Result<void, GrammarError> CheckReachable(const std::shared_ptr<const CompiledGrammar>& grammar,
                                          const std::shared_ptr<const Vocabulary>& vocabulary,
                                          Budget& budget);

}  // namespace sglrun::grammar
