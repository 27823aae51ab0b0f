#include "tokenizer/byte_alphabet.h"

#include <array>

#include "base/utf8.h"

namespace sglrun::tokenizer {
namespace {

constexpr bool StandsForItself(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

// The 68 other bytes follow each other from U+0100.
constexpr int kOtherBytes = 68;

constexpr std::array<char16_t, 256> MakeLetters() {
  std::array<char16_t, 256> letters{};
  char16_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    letters[byte] = StandsForItself(byte) ? static_cast<char16_t>(byte) : next++;
  }
  return letters;
}

constexpr std::array<unsigned char, kOtherBytes> MakeOtherBytes() {
  std::array<unsigned char, kOtherBytes> bytes{};
  int next = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (!StandsForItself(byte)) bytes[next++] = static_cast<unsigned char>(byte);
  }
  return bytes;
}

constexpr std::array<char16_t, 256> kLetters = MakeLetters();
constexpr std::array<unsigned char, kOtherBytes> kOthers = MakeOtherBytes();

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<unsigned char> ByteOfLetter(char32_t letter) {
  if (letter < 256) {
    if (!StandsForItself(static_cast<int>(letter))) return std::nullopt;
    return static_cast<unsigned char>(letter);
  }
  if (letter < 256 + kOtherBytes) return kOthers[letter - 256];
  return std::nullopt;
}

std::optional<std::string> LettersToBytes(std::string_view letters) {
  std::string bytes;
  bytes.reserve(letters.size());
  for (std::size_t pos = 0; pos < letters.size();) {
    const auto lead = static_cast<unsigned char>(letters[pos]);
    const char32_t letter = lead < 0x80 ? (++pos, lead) : DecodeUtf8(letters, pos);
    const std::optional<unsigned char> byte = ByteOfLetter(letter);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
  }
  return bytes;
}

std::string BytesToLetters(std::string_view bytes) {
  std::string letters;
  letters.reserve(bytes.size() + bytes.size() / 4);
  for (const char byte : bytes) AppendUtf8(letters, kLetters[static_cast<unsigned char>(byte)]);
  return letters;
}

std::optional<unsigned char> ParseByteToken(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const int high = HexValue(token[3]);
  const int low = HexValue(token[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

std::string ByteTokenName(unsigned char byte) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 15], '>'};
}

}  // namespace sglrun::tokenizer
