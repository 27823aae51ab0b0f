// The table of all keywords of JSON Schema, drafts 4 to 2020-12: the type of each value, and where
// it contains schemas. A keyword that is not in the table is an annotation. What a keyword means is
// in translate_*.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace sglrun::grammar {

enum class SchemaDraft : std::uint8_t { k4, k6, k7, k2019, k2020 };

struct Dialect {
  SchemaDraft draft = SchemaDraft::k2020;
  // Without $schema: 2020-12, but forms that only older drafts have (items as an array, boolean
  // exclusiveMinimum) are accepted with their old meaning.
  bool declared = false;
};

// nullopt: an URI we do not know.
std::optional<SchemaDraft> DraftOf(std::string_view schema_uri);

enum class KeywordValue : std::uint8_t {
  kAnything,
  kBoolean,
  kString,
  kNumber,
  kPositiveNumber,
  kCount,           // an integer from 0, 2.0 included
  kExclusiveBound,  // a number; in draft 4 a boolean
  kTypes,           // a name of a type or a list of them
  kList,
  kStrings,
  kStringLists,  // an object of lists of strings
  kObject,
  kSchema,
  kSchemas,       // a list of schemas, not empty
  kSchemaMap,     // an object of schemas
  kItems,         // a schema; up to 2019-09 a list of them too
  kDependencies,  // an object of schemas and lists of strings
};

enum class KeywordEffect : std::uint8_t {
  kAsserts,    // restricts values, alone or with its siblings
  kStructure,  // names and references: $id, $defs, $ref
  kNone,       // annotations
};

struct Keyword {
  std::string_view name;
  KeywordValue value;
  KeywordEffect effect;
};

std::span<const Keyword> AllKeywords();
const Keyword* FindKeyword(std::string_view name);

// The error in the value of a keyword: "must be a string, but is 3". Checks the value alone, not
// the schemas inside it.
std::optional<std::string> FaultOf(const Keyword& keyword, const Json& value, Dialect dialect);

// A value of kCount; huge ones are cut to 10^18, which is as good as none.
std::int64_t CountOf(const Json& value);

}  // namespace sglrun::grammar
