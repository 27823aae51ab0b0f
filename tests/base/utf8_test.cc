#include "base/utf8.h"

#include <doctest/doctest.h>

#include <vector>

namespace sglrun {
namespace {

constexpr std::size_t kAllValid = std::string_view::npos;

TEST_CASE("every code point but the surrogates survives a round trip") {
  for (char32_t c = 0; c <= 0x10FFFF; c = c < 0x3000 ? c + 1 : c + 97) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(text, c);
    std::size_t pos = 0;
    REQUIRE_EQ(static_cast<std::uint32_t>(DecodeUtf8(text, pos)), static_cast<std::uint32_t>(c));
    REQUIRE_EQ(pos, text.size());
    REQUIRE(IsValidUtf8(text));
  }
}

TEST_CASE("overlong forms, surrogates and code points above U+10FFFF are invalid") {
  for (const char* text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\x80", "\xE2\x82", "\xE2\x28\xA1"}) {
    CAPTURE(text);
    CHECK_FALSE(IsValidUtf8(text));
  }
}

TEST_CASE("FindInvalidUtf8 points at the first bad byte") {
  CHECK_EQ(FindInvalidUtf8("abc"), kAllValid);
  CHECK_EQ(FindInvalidUtf8("ab\xFF"
                           "c"),
           2u);
  CHECK_EQ(FindInvalidUtf8("\xC3\xA9\xC3"), 2u);
}

// Unicode 15, table 3-8 and the examples of section 3.9: one U+FFFD a maximal subpart.
TEST_CASE("ToValidUtf8 replaces maximal ill-formed subparts") {
  constexpr const char* kFffd = "\xEF\xBF\xBD";
  const auto fffd = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += kFffd;
    return text;
  };
  CHECK_EQ(ToValidUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), fffd(8) + "A");
  CHECK_EQ(ToValidUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), fffd(8) + "A");
  CHECK_EQ(ToValidUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), fffd(4) + "A");
  CHECK_EQ(ToValidUtf8("plain \xC3\xA9"), "plain \xC3\xA9");
}

TEST_CASE("IncompleteUtf8Suffix counts only bytes that can still become a character") {
  CHECK_EQ(IncompleteUtf8Suffix(""), 0u);
  CHECK_EQ(IncompleteUtf8Suffix("abc"), 0u);
  CHECK_EQ(IncompleteUtf8Suffix("a\xC3"), 1u);
  CHECK_EQ(IncompleteUtf8Suffix("a\xE2\x82"), 2u);
  CHECK_EQ(IncompleteUtf8Suffix("a\xF0\x9F\x98"), 3u);
  CHECK_EQ(IncompleteUtf8Suffix("a\xF0\x9F\x98\x80"), 0u);
  CHECK_EQ(IncompleteUtf8Suffix("a\xE0\x80"), 0u);  // overlong: never valid
  CHECK_EQ(IncompleteUtf8Suffix("a\x80"), 0u);
}

TEST_CASE("CountCodePoints counts characters, an ill-formed subpart as one") {
  CHECK_EQ(CountCodePoints(""), 0u);
  CHECK_EQ(CountCodePoints("a\xC3\xA9\xF0\x9F\x98\x80"), 3u);
  CHECK_EQ(CountCodePoints("\xE2\x82"
                           "a"),
           2u);
}

}  // namespace
}  // namespace sglrun
