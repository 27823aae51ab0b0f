// What can be said of every expression before automata are built: whether it has members, and
// whether it should be built into the automaton that uses it or get one of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "grammar/base/limits.h"
#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

// How a Repeat is built.
enum class RepeatForm : std::uint8_t {
  kNothing,   // no round ever takes a symbol: the empty text alone
  kUnrolled,  // `min` copies, then copies that may be left out, or a loop
  kCounted,   // a counter beside one automaton of the item
};

class ExprFacts {
 public:
  static Result<ExprFacts, GrammarError> Of(const Grammar& grammar, Budget& budget);

  bool Nullable(ExprId e) const { return At(e).nullable; }   // the empty text is a member
  bool Spells(ExprId e) const { return At(e).spells; }       // there is a member
  bool NonEmpty(ExprId e) const { return At(e).non_empty; }  // there is one that is not empty
  // No calls and no counters remain once it is built.
  bool Regular(ExprId e) const { return At(e).regular; }
  // Nearly its number of states; a call is one.
  std::int64_t Size(ExprId e) const { return At(e).size; }
  // It may loop over many bytes. Walking the vocabulary from its states is dear, so equal ones
  // should be one automaton, whose masks are found once.
  bool Wide(ExprId e) const { return At(e).wide; }
  // Cheap to repeat wherever it is used.
  bool Light(ExprId e) const;
  RepeatForm FormOf(const node::Repeat& e) const;

 private:
  struct Fact {
    bool nullable = false, spells = false, non_empty = false;
    bool regular = false, wide = false;
    bool many_bytes = false;  // it may start with many different bytes
    std::int64_t size = 1;

    friend bool operator==(const Fact&, const Fact&) = default;
  };
  class Finder;

  const Fact& At(ExprId e) const { return facts_[static_cast<std::size_t>(e)]; }

  std::vector<Fact> facts_;
};

}  // namespace sglrun::grammar
