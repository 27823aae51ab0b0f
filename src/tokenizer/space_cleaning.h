// `clean_up_tokenization_spaces` of transformers: no space before . ? ! , nor before English
// contractions, as tokenizers that cut at words leave them ("do n't" -> "don't"). The decoders of
// tokenizer files have a cleaning of their own (word_decoders.h), which knows one rule more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

std::string CleanUpTokenizationSpaces(std::string text);

// For text that still grows: so many bytes of it are cleaned for good. What
// CleanUpTokenizationSpaces makes of them is what the cleaned whole begins with, whatever comes.
std::size_t SettledBytes(std::string_view text);

}  // namespace sglrun::tokenizer
