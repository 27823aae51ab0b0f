// Documentation made from the table of fields: `sglrun fields`, the FIELDS section of the man page,
// the JSON Schema of an input line.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "request/fields.h"

namespace sglrun::request {

// The text of `sglrun fields`: one line per field, those of the record first.
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

// JSON Schema (2020-12) of one input line. Rules that depend on the model or on several fields are
// checked by the parser only.
Json InputSchema();

}  // namespace sglrun::request
