// Properties of characters that tokenizer files use: normal forms (UAX #15), lower case, character
// classes.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::unicode {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

// All functions take and return valid UTF-8.
std::string ToNormalForm(std::string_view text, NormalForm form);
std::string ToLowerCase(std::string_view text);  // without context: a final sigma stays σ
std::string RemoveMarks(std::string_view text);

// The end of the user-perceived character (UAX #29) that begins at `pos`. Requires pos <
// text.size().
std::size_t EndOfGrapheme(std::string_view text, std::size_t pos);

bool IsMark(char32_t c);
bool IsNonSpacingMark(char32_t c);
bool IsControl(char32_t c);        // controls, formats, private use; not unassigned characters
bool IsNumber(char32_t c);         // Nd, Nl, No
bool IsPunctuation(char32_t c);    // category P, and the ASCII symbols $+<=>^`|~
bool IsWordCharacter(char32_t c);  // \w
bool IsWhitespace(char32_t c);     // property White_Space
// A number for the script of a character: kana count as Han, the space and characters without a
// script have 0.
int ScriptOf(char32_t c);

}  // namespace sglrun::unicode
