// A few dozen classes of bytes that automata over texts mostly treat alike, as bits of one number:
// a quick way to see that all bytes of many texts keep an automaton in its state. Any partition is
// right; only speed depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sglrun::grammar {

using ByteClasses = std::uint64_t;  // a set of them

namespace byte_classes {

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> classes{};  // 0: control characters
  std::uint8_t next = 1;
  const auto add = [&](std::string_view bytes) {
    for (const char c : bytes) classes[static_cast<std::uint8_t>(c)] = next;
    ++next;
  };
  const auto range = [&](int first, int last) {
    for (int byte = first; byte <= last; ++byte) classes[static_cast<std::size_t>(byte)] = next;
    ++next;
  };
  add("\t\n\r");
  for (const char& c : std::string_view(" \"\\{}[]:,-+./_@")) add({&c, 1});
  add("!$&'()*;=");  // what stands in an address by itself, and what does not
  add("#%?|~");
  add("<>^`");
  range('0', '9');
  range('A', 'D');  // hexadecimal digits; E begins an exponent
  range('E', 'E');
  range('F', 'F');
  range('G', 'Z');
  for (int letter = 'a'; letter <= 'z'; ++letter) range(letter, letter);  // of words to be found
  range(0x80, 0xBF);                                                      // continue a character
  range(0xC2, 0xDF);
  range(0xE0, 0xE0);
  range(0xE1, 0xEC);
  range(0xED, 0xED);
  range(0xEE, 0xEF);
  range(0xF0, 0xF4);
  range(0xF5, 0xFF);
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kClasses = MakeClasses();

}  // namespace byte_classes

constexpr int ClassOfByte(std::uint8_t byte) {
  return byte_classes::kClasses[byte];
}
constexpr ByteClasses ClassesOf(std::uint8_t byte) {
  return ByteClasses{1} << ClassOfByte(byte);
}

}  // namespace sglrun::grammar
