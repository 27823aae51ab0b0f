#pragma once

#include <cstdint>

namespace sglrun::io {

// --input-format. With kAuto the first JSON object of each file decides between the two kinds of
// object.
enum class LineFormat : std::uint8_t { kAuto, kGenerate, kOpenAi, kText };

}  // namespace sglrun::io
