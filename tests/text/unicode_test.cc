#include "text/unicode.h"

#include <doctest/doctest.h>

namespace sglrun::unicode {
namespace {

TEST_CASE("NFC composes, NFD decomposes, and marks are put in order") {
  CHECK(ToNormalForm("e\u0301", NormalForm::kNfc) == "é");
  CHECK(ToNormalForm("é", NormalForm::kNfd) == "e\u0301");
  // Dot above (230) after dot below (220), whatever the order in the text; s with both exists.
  CHECK(ToNormalForm("s\u0307\u0323", NormalForm::kNfd) == "s\u0323\u0307");
  CHECK(ToNormalForm("s\u0307\u0323", NormalForm::kNfc) == "\u1E69");
  // A blocked mark stays: two equal classes.
  CHECK(ToNormalForm("a\u0325\u0302\u0301", NormalForm::kNfc) == "\u1E01\u0302\u0301");
}

TEST_CASE("Hangul is composed and decomposed by arithmetic") {
  CHECK(ToNormalForm("각", NormalForm::kNfd) == "\u1100\u1161\u11A8");
  CHECK(ToNormalForm("\u1100\u1161\u11A8", NormalForm::kNfc) == "각");
  CHECK(ToNormalForm("\u1100\u1161", NormalForm::kNfc) == "가");
  CHECK(ToNormalForm("中\u09C7\u09BE中", NormalForm::kNfc) == "中\u09CB中");
  CHECK(ToNormalForm("\u0301中e\u0323\u0301中か\u3099가\u11A8x", NormalForm::kNfc) ==
        "\u0301中\u1EB9\u0301中が각x");
}

TEST_CASE("compatibility forms replace ligatures and squares, canonical ones do not") {
  CHECK(ToNormalForm("ﬁ²", NormalForm::kNfkc) == "fi2");
  CHECK(ToNormalForm("ﬁ²", NormalForm::kNfc) == "ﬁ²");
  CHECK(ToNormalForm("ｶﾞ", NormalForm::kNfkc) == "ガ");
  CHECK(ToNormalForm("ガ", NormalForm::kNfkd) == "カ\u3099");
}

TEST_CASE("composition exclusions stay decomposed") {
  CHECK(ToNormalForm("\u0958", NormalForm::kNfc) == "\u0915\u093C");
  CHECK(ToNormalForm("\u212A", NormalForm::kNfc) == "K");
}

TEST_CASE("ASCII and empty text pass unchanged") {
  for (const NormalForm form :
       {NormalForm::kNfc, NormalForm::kNfd, NormalForm::kNfkc, NormalForm::kNfkd}) {
    CHECK(ToNormalForm("plain text", form) == "plain text");
    CHECK(ToNormalForm("", form).empty());
  }
}

TEST_CASE("lower case is by character, and one character may become two") {
  CHECK(ToLowerCase("ÀÉΣΑΣ Straße") == "àéσασ straße");
  CHECK(ToLowerCase("İ") == "i\u0307");
}

TEST_CASE("classes of characters") {
  CHECK(IsMark(0x301));
  CHECK_FALSE(IsMark('a'));
  CHECK(RemoveMarks("e\u0301a") == "ea");
  for (const char32_t c : {U'7', U'٣', U'Ⅷ', U'½'}) CHECK(IsNumber(c));
  CHECK_FALSE(IsNumber(U'a'));
  for (const char32_t c : {U'!', U'$', U'^', U'~', U'。', U'¿'}) CHECK(IsPunctuation(c));
  for (const char32_t c : {U'a', U'5', U'€'}) CHECK_FALSE(IsPunctuation(c));
  for (const char32_t c : {U'a', U'_', U'é', U'中', char32_t{0x301}, char32_t{0x200D}}) {
    CHECK(IsWordCharacter(c));
  }
  for (const char32_t c : {U' ', U'-', U'½', U'🙂'}) CHECK_FALSE(IsWordCharacter(c));
  for (const char32_t c : {U' ', U'\n', char32_t{0x85}, char32_t{0x3000}}) CHECK(IsWhitespace(c));
  for (const char32_t c : {char32_t{0x180E}, char32_t{0x200B}, U'a'}) CHECK_FALSE(IsWhitespace(c));
}

std::string Graphemes(std::string_view text) {
  std::string out;
  for (std::size_t pos = 0; pos < text.size();) {
    const std::size_t end = EndOfGrapheme(text, pos);
    out.append(out.empty() ? "" : "|").append(text.substr(pos, end - pos));
    pos = end;
  }
  return out;
}

TEST_CASE("user-perceived characters end where UAX #29 says") {
  CHECK(Graphemes("ae\u0301b") == "a|e\u0301|b");
  CHECK(Graphemes("\r\n\n\u0301") == "\r\n|\n|\u0301");
  CHECK(Graphemes("\u1100\u1161\u11A8\uAC00\u11A8\u1100") ==
        "\u1100\u1161\u11A8|\uAC00\u11A8|\u1100");
  CHECK(Graphemes("🇩🇪🇫🇷🇺") == "🇩🇪|🇫🇷|🇺");
  CHECK(Graphemes("👩\u200D🚀a\u200D🚀") == "👩\u200D🚀|a\u200D|🚀");
  CHECK(Graphemes("\u0600a\u0903") == "\u0600a\u0903");
}

TEST_CASE("categories are those of the reference's versions of Unicode") {
  CHECK(IsPunctuation(0x166D));        // a symbol since Unicode 12
  CHECK_FALSE(IsPunctuation(0x2E45));  // new in Unicode 10
  CHECK(IsNonSpacingMark(0x301));
  CHECK_FALSE(IsNonSpacingMark(0x903));
  CHECK(IsControl(0xAD));
  CHECK(IsControl(0xE000));
  CHECK_FALSE(IsControl(0x378));  // unassigned
  CHECK(ScriptOf(U'あ') == ScriptOf(U'中'));
  CHECK(ScriptOf(U'a') != ScriptOf(U'а'));
  CHECK(ScriptOf(U' ') == 0);
}

}  // namespace
}  // namespace sglrun::unicode
