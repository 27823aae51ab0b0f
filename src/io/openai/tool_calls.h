// Calls of functions in the text of an answer. A text that is not whole calls of known functions in
// the expected form stays a text: nothing is guessed, nothing is lost.
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

// nullopt where there are no calls, or something that is none among them.
std::optional<CalledText> FindToolCalls(const Reply& reply, std::string_view text);

}  // namespace sglrun::io::openai
