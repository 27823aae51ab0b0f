// Python's view of characters and of the case of a text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "jinja/character_tables.h"
#include "jinja/meter.h"

namespace sglrun::jinja {

// Decodes the character at text[at] and moves `at` after it. All code that reads single characters
// uses it, because it charges the meter.
inline char32_t NextCharacter(std::string_view text, std::size_t& at) {
  Meter::Characters(1);
  return DecodeUtf8(text, at);
}

bool IsIn(std::span<const unicode::CodePointRange> table, char32_t c);
bool IsSpace(char32_t c);          // str.isspace, \s
bool IsWordCharacter(char32_t c);  // \w
inline bool IsAlphanumeric(char32_t c) {
  return IsIn(kAlphabetic, c) || IsIn(kNumerics, c);
}
// Lines end where str.splitlines says; text[pos] begins a character.
bool IsLineBreak(char32_t c);

std::string ToUpper(std::string_view text);
std::string ToLower(std::string_view text);  // a sigma at the end of a word becomes ς
std::string ToTitle(std::string_view text);
std::string Capitalize(std::string_view text);
std::string SwapCase(std::string_view text);
bool IsIdentifier(std::string_view text);

// Sizes of the white space at both ends, in bytes.
std::size_t LeadingSpace(std::string_view text);
std::size_t TrailingSpace(std::string_view text);
// Start of the last character of text[0, end).
std::size_t PreviousCharacter(std::string_view text, std::size_t end);

}  // namespace sglrun::jinja
