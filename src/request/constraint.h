// The constraint of a record: one of json_schema, regex, ebnf, structural_tag
// (docs/constraints.md). It is stored as text here; grammar/ interprets it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sglrun {

enum class ConstraintKind : std::uint8_t { kJsonSchema, kRegex, kEbnf, kStructuralTag };

// "json_schema", ...: the name of the parameter.
constexpr std::string_view ConstraintName(ConstraintKind kind) {
  constexpr std::string_view kNames[] = {"json_schema", "regex", "ebnf", "structural_tag"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Constraint {
  ConstraintKind kind = ConstraintKind::kRegex;
  std::string text;  // as the record gives it; an object in place of a string is its JSON text

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

}  // namespace sglrun
