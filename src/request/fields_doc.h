// What people read about the fields, made from the table: `sglrun fields`, the man page's FIELDS
// section, the JSON Schema of an input line.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "request/fields.h"

namespace sglrun::request {

// The text of `sglrun fields`: one line a field, first those of the record.
std::string FieldsTable();

// One entry of the man page.
struct FieldEntry {
  Scope scope;
  std::string name;
  std::string type;     // "number in (0, 1], default 1.0"
  std::string summary;  // a sentence
  std::string details;  // "" or further sentences
};
std::vector<FieldEntry> FieldEntries();

// JSON Schema (2020-12) of one input line. What depends on the model or on several fields together
// is left to the parser.
Json InputSchema();

}  // namespace sglrun::request
