// UTF-8 as the Unicode Standard defines it (table 3-7): no overlong forms, no surrogates, nothing
// above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sglrun {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Offset of the first byte that is not valid UTF-8, or npos when all of it is.
std::size_t FindInvalidUtf8(std::string_view text);
inline bool IsValidUtf8(std::string_view text) {
  return FindInvalidUtf8(text) == std::string_view::npos;
}

// Decodes the character at text[pos] and moves pos after it. An ill-formed sequence gives
// kReplacementCharacter for each maximal ill-formed subpart. Requires pos < text.size().
char32_t DecodeUtf8(std::string_view text, std::size_t& pos);

// The replacement of every maximal ill-formed subpart by U+FFFD, as lossy decoders do.
std::string ToValidUtf8(std::string_view text);

void AppendUtf8(std::string& out, char32_t code_point);

// Number of code points; ill-formed subparts count as one.
std::size_t CountCodePoints(std::string_view text);

// Bytes at the end of `text` (0 to 3) that begin a character which later bytes can still complete.
std::size_t IncompleteUtf8Suffix(std::string_view text);

}  // namespace sglrun
