// What a schema says about its own spelling and closing: the options, unless a top-level
// "x-sglrun" object says otherwise.
//
//   "x-sglrun": {"mode": "spec", "any_order": true, "whitespace": "compact"}
//   "whitespace": {"indent": 4} or {"separators": [",", ":"]} or {"max": 8}
#pragma once

#include "grammar/json_schema/document.h"
#include "grammar/json_schema/layout.h"

namespace sglrun::grammar {

struct SchemaSettings {
  ClosingMode mode = ClosingMode::kStrict;
  Layout layout;
  bool any_order = false;

  // kInvalid for an unknown name or a value of the wrong type: a typo must not be ignored.
  static Result<SchemaSettings, GrammarError> From(const Document& document,
                                                   const GrammarOptions& options);
};

}  // namespace sglrun::grammar
