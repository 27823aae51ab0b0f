// The meaning of a schema as logic: constraints, each on one kind of value, combined by and, or and
// exclusion. The places of a document become formulas (translate.h), formulas become alternatives
// of plain constraints (normal_form.h), those become expressions (value_rules.h).
//
// A constraint on one kind holds for every value of another kind, as in the standard. Formulas are
// immutable; places are replaced by their formulas only when needed, so recursive schemas are
// finite.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/json.h"
#include "grammar/automaton/sequence_pool.h"
#include "grammar/json_schema/document.h"
#include "grammar/json_schema/number_language.h"
#include "grammar/json_schema/string_language.h"

namespace sglrun::grammar {

// The kinds of JSON values; true and false are separate kinds, so that a set of kinds fully
// describes null and booleans.
enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
inline constexpr std::array kAllKinds = {Kind::kNull,   Kind::kFalse, Kind::kTrue,  Kind::kNumber,
                                         Kind::kString, Kind::kArray, Kind::kObject};
using KindSet = std::uint8_t;
inline constexpr KindSet kEveryKind = 0x7f;
constexpr KindSet Only(Kind kind) {
  return static_cast<KindSet>(1U << static_cast<int>(kind));
}
constexpr bool Has(KindSet kinds, Kind kind) {
  return (kinds & Only(kind)) != 0;
}
Kind KindOf(const Json& value);

using FormulaId = std::int32_t;
inline constexpr FormulaId kFalse = 0, kTrue = 1;

// How a place is meant. It matters to strict closing (--json-schema-mode strict), and to what
// counts as evaluated: nothing under a `not` does.
enum class Stance : std::uint8_t {
  kAsserted,   // may close objects and arrays, and names what may be in them
  kCondition,  // in an `if` that holds: names what may be there, closes nothing
  kTested,     // under one `not` or the like: neither; and under two, and so on
};
inline constexpr int kStances = 16;
constexpr bool IsTested(Stance stance) {
  return stance >= Stance::kTested;
}
// Under one more `not`. The levels are limited: beyond the limit they start again at one.
constexpr Stance Deeper(Stance stance) {
  if (!IsTested(stance)) return Stance::kTested;
  const int next = static_cast<int>(stance) + 1;
  return static_cast<Stance>(next < kStances ? next : static_cast<int>(Stance::kTested));
}

namespace formula {

struct Constant {};  // kFalse and kTrue

struct And {
  std::vector<FormulaId> parts;  // in order: it decides about the order of keys
};
struct Or {
  std::vector<FormulaId> parts;
  // anyOf: several may hold at once, and then all of them count as evaluating.
  bool inclusive = false;
};
struct Exclude {  // not
  FormulaId inner = kFalse;
};
struct AtPlace {  // the formula of a place, found when asked
  PlaceId place = 0;
  Stance stance = Stance::kAsserted;
  ScopeId scope = kNoScope;

  // Different for different values.
  std::int64_t Key() const {
    constexpr std::int64_t kScopes = DynamicScopes::kMost;
    return (std::int64_t{place} * kStances + static_cast<int>(stance)) * kScopes + scope;
  }
};
// unevaluatedProperties and unevaluatedItems: they apply to what no constraint inside evaluates.
struct Scope {
  FormulaId inner = kTrue;
  std::optional<FormulaId> properties = {}, items = {};
  bool contains_evaluates = false;  // 2020-12
  Stance stance = Stance::kAsserted;
};

// Constraints.

struct Kinds {
  KindSet kinds = kEveryKind;
};
struct Number {
  NumberConstraints constraints;
  PlaceId place = 0;  // for messages
};
struct Text {
  StringConstraints constraints;
  PlaceId place = 0;
  std::string keyword;  // of the pattern or format in it; with one, there is nothing else in it
  bool under_not = false;
};
struct Values {
  std::vector<const Json*> values;
};
// The keywords of one place that apply to properties by name.
struct Properties {
  struct Named {
    std::string name;
    FormulaId value = kTrue;
  };
  struct Pattern {
    FormulaId keys = kTrue;  // a formula about strings
    FormulaId value = kTrue;
  };
  std::vector<Named> named;
  std::vector<Pattern> patterns;
  std::optional<FormulaId> others;  // additionalProperties
  Stance stance = Stance::kTested;
};
struct Required {
  std::vector<std::string> names;
  // Required by a condition rather than by `required`: the key may occur anywhere among further
  // keys.
  bool anywhere = false;
  Stance stance = Stance::kTested;
};
struct PropertyNames {
  FormulaId keys = kTrue;
};
struct PropertyCount {
  std::int64_t min = 0;
  std::optional<std::int64_t> max = {};
  PlaceId place = 0;  // for messages, with the keyword that says `min`
  const char* keyword = "minProperties";
};
struct DependentRequired {
  std::string name;
  std::vector<std::string> names;
};
// Some property has a matching key and value: the negation of the keywords that apply to all
// properties.
struct SomeProperty {
  FormulaId keys = kTrue, value = kTrue;
};
struct UnevaluatedProperties {
  FormulaId value = kTrue;
  std::vector<FormulaId> evaluating;  // Properties and UnevaluatedProperties
  Stance stance = Stance::kTested;
};
struct Items {
  std::vector<FormulaId> prefix;
  std::optional<FormulaId> rest;
  Stance stance = Stance::kTested;
};
struct ItemCount {
  std::int64_t min = 0;
  std::optional<std::int64_t> max;
};
struct Contains {
  FormulaId item = kTrue;
  std::int64_t min = 1;
  std::optional<std::int64_t> max = {};
  std::int64_t from = 0;  // counts items from here on
  PlaceId place = 0;
  Stance stance = Stance::kTested;
};
struct UniqueItems {
  PlaceId place = 0;
};
struct UnevaluatedItems {
  FormulaId value = kTrue;
  std::vector<FormulaId> evaluating;  // Items, UnevaluatedItems, Contains where they count
  Stance stance = Stance::kTested;
};
// A keyword whose meaning cannot be enforced, which matters only where all else leaves values.
struct Unenforceable {
  KindSet kinds = kEveryKind;
  PlaceId place = 0;
  std::string keyword;
  std::string reason;
  bool under_not = false;
};

}  // namespace formula

using Formula =
    std::variant<formula::Constant, formula::And, formula::Or, formula::Exclude, formula::AtPlace,
                 formula::Scope, formula::Kinds, formula::Number, formula::Text, formula::Values,
                 formula::Properties, formula::Required, formula::PropertyNames,
                 formula::PropertyCount, formula::DependentRequired, formula::SomeProperty,
                 formula::UnevaluatedProperties, formula::Items, formula::ItemCount,
                 formula::Contains, formula::UniqueItems, formula::UnevaluatedItems,
                 formula::Unenforceable>;

class Formulas {
 public:
  Formulas();

  const Formula& operator[](FormulaId id) const { return all_[static_cast<std::size_t>(id)]; }
  template <class T>
  const T* As(FormulaId id) const {
    return std::get_if<T>(&(*this)[id]);
  }
  FormulaId size() const { return static_cast<FormulaId>(all_.size()); }

  // These simplify obvious cases, and return equal ids for equal parts.
  FormulaId And(std::vector<FormulaId> parts);
  FormulaId Or(std::vector<FormulaId> parts, bool inclusive = false);
  FormulaId Exclude(FormulaId inner);
  FormulaId Kinds(KindSet kinds);
  FormulaId AtPlace(const formula::AtPlace& at);

  // Constraints are not compared with each other: equal ones get different ids.
  FormulaId Add(Formula formula);

 private:
  FormulaId AddJoined(std::vector<FormulaId> parts, int join);

  std::deque<Formula> all_;               // references stay good
  SequencePool joined_[3];                // the parts of each And and Or
  std::vector<FormulaId> joined_ids_[3];  // and its id
  std::unordered_map<FormulaId, FormulaId> excluded_;
  std::array<FormulaId, kEveryKind + 1> kinds_;
  std::unordered_map<std::int64_t, FormulaId> at_place_;
};

}  // namespace sglrun::grammar
