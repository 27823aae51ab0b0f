// The byte-level alphabet: byte-level BPE files write each byte as one printable character
// ("Ġ" for a space), so that any text is a sequence of letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

// The byte a character of the alphabet stands for.
std::optional<unsigned char> ByteOfLetter(char32_t letter);

// "Ġthe" -> " the"; nothing when a character is outside the alphabet.
std::optional<std::string> LettersToBytes(std::string_view letters);
// " the" -> "Ġthe".
std::string BytesToLetters(std::string_view bytes);

// "<0x0A>" -> 10: how vocabularies with byte fallback write a byte. Hex digits of either case.
std::optional<unsigned char> ParseByteToken(std::string_view token);
// 10 -> "<0x0A>".
std::string ByteTokenName(unsigned char byte);

}  // namespace sglrun::tokenizer
