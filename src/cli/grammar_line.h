// One input line of `sglrun grammar check`.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/options.h"
#include "grammar/options.h"
#include "request/constraint.h"
#include "request/record_error.h"

namespace sglrun::cli {

struct GrammarLine {
  Json id;  // null when there is none
  Constraint constraint;
  std::vector<std::string> texts;
  grammar::GrammarOptions options;
};

// `line`: parsed with keep_number_text. `standard`: what the command line says.
Result<GrammarLine, RecordError> ReadGrammarLine(const Json& line, const Options& standard);

}  // namespace sglrun::cli
