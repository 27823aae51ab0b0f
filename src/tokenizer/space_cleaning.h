// `clean_up_tokenization_spaces` of transformers: no space before . ? ! , nor before English
// contractions, as tokenizers that cut at words leave them ("do n't" -> "don't"). The decoders of
// tokenizer files have a similar function with one more rule (word_decoders.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

std::string CleanUpTokenizationSpaces(std::string text);

// For text that still grows: the number of bytes whose cleaned form is final. Whatever text
// follows, the cleaned whole text begins with CleanUpTokenizationSpaces of these bytes.
std::size_t SettledBytes(std::string_view text);

}  // namespace sglrun::tokenizer
