// The language of a parsed expression.
#pragma once

#include "grammar/automaton/dfa.h"
#include "grammar/regex/ast.h"
#include "grammar/regex/regex.h"

namespace sglrun::grammar {

// Look-aheads and anchors included. Adds nodes to the tree.
RegexTextsResult TextsOf(RegexAst& ast, RegexMatch match, Budget& budget);

// The branches as one node that must match the whole text.
RegexNodeId WholeText(RegexAst& ast, std::vector<RegexNodeId> branches, RegexMatch match);

}  // namespace sglrun::grammar
