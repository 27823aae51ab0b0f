// Converts the body of an OpenAI line to an equivalent GenerateReqInput. Values that io/normalize
// and the readers of fields check are not checked here; the field names in their error messages are
// translated back (Reply::origins).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/normalize.h"
#include "io/openai/reply.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

struct BodyOptions {
  bool strict = false;            // an unknown field is an error
  bool run_has_length = false;    // --sampling or --set states max_new_tokens
  std::string model_name;         // used if the body names no model
  FindAdapter find_adapter = {};  // a model may be the name of an adapter
  // Text of token ids, for echo.
  std::function<std::string(std::span<const std::int32_t>)> detokenize;
};

// `body` is an object; values are moved out of it. Fills the parts of `reply` that the body
// decides.
Result<Json, RecordError> ReadBody(Json body, const BodyOptions& options, Reply& reply,
                                   std::vector<std::string>& warnings);

}  // namespace sglrun::io::openai
