// What tokenizer files ask about characters: normal forms (UAX #15), lower case, character classes.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::tokenizer {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

// All take valid UTF-8 and give valid UTF-8.
std::string ToNormalForm(std::string_view text, NormalForm form);
std::string ToLowerCase(std::string_view text);  // without context: a final sigma stays σ
std::string RemoveMarks(std::string_view text);

bool IsMark(char32_t c);
bool IsNumber(char32_t c);         // Nd, Nl, No
bool IsPunctuation(char32_t c);    // category P, and the ASCII symbols $+<=>^`|~
bool IsWordCharacter(char32_t c);  // \w
bool IsWhitespace(char32_t c);     // property White_Space

}  // namespace sglrun::tokenizer
