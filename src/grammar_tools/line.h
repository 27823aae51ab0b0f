// One input line of `sglrun grammar check` and `sglrun bench --grammar`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "grammar/ir/options.h"
#include "request/constraint.h"
#include "request/record_error.h"

namespace sglrun::grammar_tools {

struct GrammarLine {
  Json id;  // null when there is none
  Constraint constraint;
  std::vector<std::string> texts;
  grammar::GrammarOptions options;
  std::vector<std::string> notes;  // members that have no effect
};

// Schemas given as objects keep their numbers as written and may be as deep as one in a string.
JsonParseOptions GrammarLineParsing();

// How the constraints of lines are compiled.
struct LineOptions {
  grammar::GrammarOptions standard;
  // With the member `options` of a line laid over it.
  std::function<Result<grammar::GrammarOptions>(const Json& own)> with;
};

// `line`: parsed with GrammarLineParsing().
Result<GrammarLine, RecordError> ReadGrammarLine(const Json& line, const LineOptions& options);

}  // namespace sglrun::grammar_tools
