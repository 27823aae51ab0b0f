// The dialect of a file, determined from later lines of it.
#pragma once

#include <optional>
#include <string>

namespace sglrun::io {

// Whether the first JSON object of a file is a line of the OpenAI dialect. nullopt where that
// cannot be looked up: a pipe, whose later lines may never come, and a file without an object among
// its first thousand lines.
std::optional<bool> HoldsOpenAiLines(const std::string& file);

}  // namespace sglrun::io
