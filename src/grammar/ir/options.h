// What the command line says about constraints, the same for every record of a run
// unless the record's own schema says otherwise (x-sglrun).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/base/limits.h"

namespace sglrun::grammar {

enum class ClosingMode : std::uint8_t { kStrict, kSpec };  // --json-schema-mode
enum class WhitespacePolicy : std::uint8_t { kFlexible, kCompact, kIndent };

struct GrammarOptions {
  ClosingMode json_schema_mode = ClosingMode::kStrict;
  WhitespacePolicy whitespace = WhitespacePolicy::kFlexible;
  std::int64_t json_max_whitespace = 32;  // a gap; kUnbounded: no cap
  int json_indent = 2;                    // of kIndent
  bool assert_format = true;              // --json-format assert
  bool one_of_as_any_of = false;          // --json-oneof anyof
  bool relax_unsupported = false;         // --grammar-unsupported relax
  Limits limits;
};

// The notes of the front ends, in addition to the grammar. They share one report for a whole
// constraint.
struct GrammarReport {
  std::vector<std::string> relaxed;  // JSON pointers of keywords dropped by relax_unsupported
  std::vector<std::string> notes;    // "/properties/x/format: unknown format \"color\" is ignored"
};

}  // namespace sglrun::grammar
