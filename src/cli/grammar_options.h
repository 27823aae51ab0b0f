// --json-schema-mode and the other options of its group, as the grammar room takes them.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cli/options.h"
#include "grammar/ir/options.h"

namespace sglrun::cli {

grammar::GrammarOptions GrammarOptionsOf(const Options& options);

// Lays the members of a `grammar check` line's `options` over `options`: the long names with _ in
// place of -.
Status SetGrammarOptions(const Json& members, Options& options);

}  // namespace sglrun::cli
