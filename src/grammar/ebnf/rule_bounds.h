// name[max_chars=N, max_tokens=N] ::= ...: rules whose texts are bounded. The options are stored
// until all rules are read, and then applied to their bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "grammar/ebnf/scanner.h"
#include "grammar/ir/bounded_text.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar::ebnf {

class RuleBounds {
 public:
  // The scanner is at the opening bracket and ends after the closing one.
  Result<void, GrammarError> Take(Scanner& scanner, const FrontEnd& front, RuleId rule);

  // All rules are defined.
  Result<void, GrammarError> Apply(FrontEnd& front, const Scanner& scanner);

 private:
  struct Bound {
    TextBounds bounds = {};
    std::size_t pos = 0;  // of the first option
    enum class Stage : std::uint8_t { kWaiting, kUnderWay, kDone } stage = Stage::kWaiting;
  };

  Result<void, GrammarError> TakeOption(Scanner& scanner, const FrontEnd& front, Bound& bound);
  Result<void, GrammarError> ApplyTo(FrontEnd& front, RuleId rule);

  std::map<RuleId, Bound> rules_;
  int depth_ = 0;
};

}  // namespace sglrun::grammar::ebnf
