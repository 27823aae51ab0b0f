// Small text helpers that several folders share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun {

// The candidate nearest to `word` by edit distance, or "" if none is near enough.
std::string NearestName(std::string_view word, std::span<const std::string_view> candidates);

// "4GiB", "500MB", "1048576", "1.5 KiB" -> bytes.
Result<std::int64_t> ParseByteSize(std::string_view text);
// 1536 -> "1.5 KiB".
std::string FormatByteSize(std::int64_t bytes);

// 1234567 -> "1,234,567".
std::string FormatCount(std::int64_t value);
std::string FormatCount(std::int64_t value, std::string_view unit);  // "1 record", "2,000 records"

// Letters A to Z become a to z.
std::string AsciiLowerCase(std::string_view text);

}  // namespace sglrun
