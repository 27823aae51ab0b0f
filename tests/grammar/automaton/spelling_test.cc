#include "base/json.h"

#include <doctest/doctest.h>

#include "automaton/helpers.h"
#include "grammar/automaton/dfa.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

const Limits kLimits;

Dfa Utf8(const Dfa& chars) {
  Budget budget(kLimits);
  return *ToUtf8(chars, budget);
}
Dfa Json(const Dfa& chars) {
  Budget budget(kLimits);
  return *ToJsonString(chars, budget);
}

std::string Encode(char32_t c) {
  std::string out;
  AppendUtf8(out, c);
  return out;
}

TEST_CASE("one character in UTF-8 accepts exactly the well-formed sequences of the set") {
  const CharSet set{{0x7E, 0x801}, {0xD000, 0xE001}, {0xFFFE, 0x10001}, {0x10FFFF, 0x10FFFF}};
  const Dfa dfa = Utf8(OneOf(set)), any = Utf8(OneOf(CharSet::All()));
  for (char32_t c = 0; c <= 0x10FFFF; c += kSanitized ? 5 : 1) {
    if (c >= 0xD800 && c < 0xE000) c = 0xE000;
    REQUIRE(AcceptsBytes(any, Encode(c)));
    REQUIRE(AcceptsBytes(dfa, Encode(c)) == set.Contains(c));
  }
}

TEST_CASE("no ill-formed UTF-8 is accepted") {
  const Dfa any = Utf8(AnyText());
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xED\xBF\xBF", "\xE2\x82", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xFF", "a\xC3(", "\xF0\x9F\x98"}) {
    CHECK(!AcceptsBytes(any, bad));
  }
  // Every string of two bytes, against the decoder of base.
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      REQUIRE(AcceptsBytes(any, text) == IsValidUtf8(text));
    }
  }
}

TEST_CASE("a list of words in bytes is what its automaton of characters spells") {
  std::mt19937 random(12);
  const std::string characters[] = {"a", "b", "\xC3\xA9", "\xC3\xAA", "\xF0\x9F\x98\x80"};
  for (int round = 0; round < Rounds(200); ++round) {
    std::vector<std::string> words(random() % 12);
    for (std::string& word : words) {
      for (auto left = random() % 5; left > 0; --left) word += characters[random() % 5];
    }
    Budget budget(kLimits);
    const Dfa chars = Words(words), bytes = ByteWords(words);
    REQUIRE(bytes == Utf8(chars));
    REQUIRE(*Minimize(chars, budget) == chars);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    REQUIRE(Members(chars, 20)->size() == words.size());
    for (const std::string& word : words) REQUIRE(AcceptsBytes(bytes, word));
  }
}

TEST_CASE("random languages keep their words through UTF-8") {
  std::mt19937 random(11);
  const auto words = AllWords(3);
  for (int round = 0; round < Rounds(100); ++round) {
    Budget budget(kLimits);
    const Dfa chars = *Determinize(RandomNfa(random), budget);
    const Dfa bytes = Utf8(chars);
    for (const Word& word : words) {
      std::string text;
      for (const std::uint32_t c : word) AppendUtf8(text, c);
      REQUIRE(AcceptsBytes(bytes, text) == chars.Accepts(word));
    }
    REQUIRE(*Minimize(bytes, budget) == bytes);
  }
}

TEST_CASE("inside a JSON string a character has the spellings of the standard that we allow") {
  struct Case {
    char32_t c;
    std::vector<std::string> yes, no;
  };
  const std::vector<Case> cases{
      {U'"', {"\\\""}, {"\"", "\\u0022"}},
      {U'\\', {"\\\\"}, {"\\", "\\u005c"}},
      {U'/', {"/"}, {"\\/", "\\u002f"}},
      {U'\b', {"\\b"}, {"\b", "\\u0008"}},
      {U'\t', {"\\t"}, {"\t", "\\u0009"}},
      {U'\n', {"\\n"}, {"\n", "\\u000a", "\\u000A", "\\N"}},
      {U'\f', {"\\f"}, {"\f", "\\u000c"}},
      {U'\r', {"\\r"}, {"\r", "\\u000d"}},
      {0x00, {"\\u0000"}, {std::string(1, '\0'), "\\0", "\\u00000"}},
      {0x0B, {"\\u000b", "\\u000B"}, {"\v", "\\v", "\\u000"}},
      {0x1F, {"\\u001f", "\\u001F"}, {"\x1F", "\\U001f"}},
      {0x10, {"\\u0010"}, {"\x10"}},
      {U' ', {" "}, {"\\u0020"}},
      {0x7F, {"\x7F"}, {"\\u007f"}},
      {U'a', {"a"}, {"\\u0061", "\\a"}},
      {0xE9, {"\xC3\xA9"}, {"\\u00e9", "\xE9"}},
      {0x2028, {"\xE2\x80\xA8"}, {"\\u2028"}},
      {0x1F600, {"\xF0\x9F\x98\x80"}, {"\\ud83d\\ude00"}},
  };
  for (const Case& c : cases) {
    CAPTURE(static_cast<std::uint32_t>(c.c));
    const Dfa one = Json(OneOf(CharSet::Of(c.c))), any = Json(OneOf(CharSet::All()));
    for (const std::string& text : c.yes) {
      CHECK(AcceptsBytes(one, text));
      CHECK(AcceptsBytes(any, text));
    }
    for (const std::string& text : c.no) {
      CHECK(!AcceptsBytes(one, text));
      CHECK(!AcceptsBytes(any, text));
    }
  }
}

TEST_CASE("every character below U+0100 is spelled so that JSON reads it back") {
  for (char32_t c = 0; c < 0x100; ++c) {
    const Dfa one = Json(OneOf(CharSet::Of(c)));
    const auto spellings = Members(one, 100);
    REQUIRE(spellings.has_value());
    REQUIRE(!spellings->empty());
    for (const std::u32string& spelling : *spellings) {
      std::string text = "\"";
      for (const char32_t byte : spelling) text += static_cast<char>(byte);
      const auto value = ParseJson(text + "\"");
      REQUIRE(value.ok());
      CHECK(value->value.as_string() == Encode(c));
    }
  }
}

TEST_CASE("a state within an escape that equals a state between characters is shared with it") {
  // After \u001 and after 1 the same must follow: one hexadecimal digit.
  Budget budget(kLimits);
  const CharSet digits{{U'0', U'9'}, {U'a', U'f'}, {U'A', U'F'}};
  const Dfa chars = *Unite(OneOf(CharSet{{0x10, 0x1F}}),
                           *Concatenate(ExactText("1"), OneOf(digits), budget), budget);
  const Dfa json = Json(chars);
  CHECK(*Minimize(json, budget) == json);
  CHECK(AcceptsBytes(json, "\\u001e"));
  CHECK(AcceptsBytes(json, "1E"));
  CHECK(!AcceptsBytes(json, "1"));
}

TEST_CASE("spelling a language that needs too many states is refused") {
  Limits limits;
  limits.automaton_states = 10;
  Budget budget(limits);
  CHECK(ToUtf8(*LengthBetween(0, 3, budget), budget).error().verdict == Verdict::kTooLarge);
}

}  // namespace
}  // namespace sglrun::grammar
