// Converts --json-schema-mode and the other options of its group to GrammarOptions.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cli/options.h"
#include "grammar/ir/options.h"

namespace sglrun::cli {

grammar::GrammarOptions GrammarOptionsOf(const Options& options);

// Overrides `options` by the members of the `options` of a `grammar check` line: the long names
// with _ in place of -.
Result<grammar::GrammarOptions> GrammarOptionsWith(const Json& members, Options options);

}  // namespace sglrun::cli
