// Reading an object of a structural tag into a struct. The struct declares its fields: the name of
// each, what its value must be, and whether it must be there. Code that uses it sees typed values
// only, so that no member can be used that was not declared, found and checked:
//
//   struct RegexFormat {
//     Placed<std::string> pattern;
//
//     static constexpr std::string_view kType = "regex";
//     static constexpr auto Fields() {
//       return std::tuple(Required("pattern", kNonEmptyText, &RegexFormat::pattern));
//     }
//   };
//   SGLRUN_ASSIGN_OR_RETURN(const auto format, ReadFields<RegexFormat>(node));
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grammar/structural_tag/node.h"

namespace sglrun::grammar::tag {

// A value and where it stands; of a member that is left out, where it would stand.
template <class T>
struct Placed {
  T value{};
  Node at = {};
};

using Texts = std::vector<Placed<std::string>>;

// What a value may be: `expected` ends the sentence about one that is not, `read` checks it.
template <class T>
struct Kind {
  std::string_view expected;
  Result<T, GrammarError> (*read)(const Node& node, std::string_view expected);
};

extern const Kind<std::string> kText, kNonEmptyText;
extern const Kind<bool> kFlag;
extern const Kind<std::optional<std::int64_t>> kCount;  // not negative; nullopt for null
extern const Kind<std::int64_t> kInteger;
extern const Kind<std::vector<Node>> kList, kNonEmptyList;
extern const Kind<Texts> kTexts, kNonEmptyTexts;  // no text of them is empty
extern const Kind<Node> kFormat, kSchema, kToken, kTextOrToken, kEnds, kNull;

template <class Struct, class T>
struct Field {
  std::string_view name;
  const Kind<T>* kind;
  Placed<T> Struct::*to;
  bool required;
};

template <class Struct, class T>
constexpr Field<Struct, T> Required(std::string_view name, const Kind<T>& kind,
                                    Placed<T> Struct::*to) {
  return {name, &kind, to, true};
}
template <class Struct, class T>
constexpr Field<Struct, T> Optional(std::string_view name, const Kind<T>& kind,
                                    Placed<T> Struct::*to) {
  return {name, &kind, to, false};
}

// The name of the format, for structs that are one: the value of their member "type".
template <class Struct>
constexpr std::string_view TypeName() {
  if constexpr (requires { Struct::kType; }) return Struct::kType;
  return {};
}

template <class Struct>
std::vector<std::string_view> FieldNames(bool required_only = false) {
  std::vector<std::string_view> names;
  std::apply(
      [&](const auto&... field) {
        ((field.required || !required_only ? names.push_back(field.name) : void()), ...);
      },
      Struct::Fields());
  return names;
}

// This is an object, its "type", if it has one, is `type`, and every other member has one of the
// names. An empty "excludes" may stand in everything that has a type, as XGrammar writes it.
Result<void, GrammarError> CheckMembers(const Node& node, std::string_view type,
                                        std::span<const std::string_view> names);
// "the field "pattern" is missing: a string that is not empty is expected, found {"type":"regex"}"
GrammarError Missing(const Node& node, std::string_view name, std::string_view expected);

template <class Struct, class T>
Result<void, GrammarError> ReadField(const Node& node, const Field<Struct, T>& field, Struct& to) {
  Placed<T>& placed = to.*field.to;
  placed.at = node.Find(field.name);
  if (!node.Has(field.name)) {
    if (field.required) return Missing(node, field.name, field.kind->expected);
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(placed.value, field.kind->read(placed.at, field.kind->expected));
  return {};
}

// Members that are left out keep the value that the struct gives them.
template <class Struct>
Result<Struct, GrammarError> ReadFields(const Node& node) {
  SGLRUN_RETURN_IF_ERROR(CheckMembers(node, TypeName<Struct>(), FieldNames<Struct>()));
  Struct read;
  Result<void, GrammarError> outcome;
  std::apply(
      [&](const auto&... field) {
        ((outcome = ReadField(node, field, read), outcome.ok()) && ...);
      },
      Struct::Fields());
  SGLRUN_RETURN_IF_ERROR(outcome);
  return read;
}

}  // namespace sglrun::grammar::tag
