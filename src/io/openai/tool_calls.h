// Tool calls in the text of an answer. If the text does not consist of complete calls of known
// functions in the expected format, it is left unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/openai/reply.h"

namespace sglrun::io::openai {

struct ToolCall {
  std::string name;
  std::string arguments;  // JSON text of an object
};

struct CalledText {
  std::string content;  // what stands around the calls, without the white space at its ends
  std::vector<ToolCall> calls;
};

// nullopt if there are no calls, or if the text contains anything else.
std::optional<CalledText> FindToolCalls(const Reply& reply, std::string_view text);

}  // namespace sglrun::io::openai
