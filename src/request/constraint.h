// What a record's text must be a member of: one of json_schema, regex, ebnf, structural_tag
// (grammar.md 0). Plain words here; the grammar room gives them their meaning.
#pragma once

#include <cstdint>
#include <string>

namespace sglrun {

enum class ConstraintKind : std::uint8_t { kJsonSchema, kRegex, kEbnf, kStructuralTag };

struct Constraint {
  ConstraintKind kind = ConstraintKind::kRegex;
  std::string text;  // as the record gives it; an object in place of a string is its JSON text

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

}  // namespace sglrun
