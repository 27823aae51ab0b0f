// The fields of an OpenAI body that request a constraint: response_format, vLLM's
// structured_outputs and guided_*, SGLang's regex, ebnf and similar ones.
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

// The constraint of the body; an error if it states several.
Result<std::optional<ConstraintField>, RecordError> ReadConstraint(const Json& body);

}  // namespace sglrun::io::openai
