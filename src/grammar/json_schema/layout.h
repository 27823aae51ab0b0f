// The white space in generated JSON, as expressions. One object serves a whole
// schema; `depth` counts the containers around the members of the container meant (the members of
// the outermost one have depth 1), which matters to kIndent only.
//
//   {  AfterOpen  "a"  Colon  1  Comma  "b"  Colon  2  BeforeClose  }
//   {  InEmpty  }
#pragma once

#include <cstdint>
#include <string>

#include "grammar/ir/grammar.h"
#include "grammar/ir/options.h"

namespace sglrun::grammar {

struct Layout {
  WhitespacePolicy policy = WhitespacePolicy::kFlexible;
  std::int64_t max_whitespace = 32;   // of kFlexible: blanks in a gap; kUnbounded: no cap
  int indent = 2;                     // of kIndent: blanks a level
  std::string item_separator = ", ";  // of kCompact
  std::string key_separator = ": ";

  static Layout From(const GrammarOptions& options);

  ExprId AfterOpen(Grammar& grammar, int depth) const;
  ExprId BeforeClose(Grammar& grammar, int depth) const;
  ExprId Comma(Grammar& grammar, int depth) const;  // with the blanks around it
  ExprId Colon(Grammar& grammar) const;             // with the blanks around it
  ExprId InEmpty(Grammar& grammar) const;           // between the brackets of an empty container

 private:
  ExprId Gap(Grammar& grammar) const;
};

}  // namespace sglrun::grammar
