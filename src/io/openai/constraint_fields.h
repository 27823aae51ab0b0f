// The many names under which the body of an OpenAI line asks for a constraint: response_format,
// vLLM's structured_outputs and guided_*, SGLang's regex, ebnf and the like.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

struct ConstraintField {
  std::string parameter;  // "json_schema", "regex", "ebnf", "structural_tag"
  Json value;
  std::string origin;  // "response_format.json_schema.schema"
};

// The one that the body states; an error when it states several.
Result<std::optional<ConstraintField>, RecordError> ReadConstraint(const Json& body);

}  // namespace sglrun::io::openai
