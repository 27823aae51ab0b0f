#include "base/json.h"

#include <doctest/doctest.h>

#include <limits>

namespace sglrun {
namespace {

Json Parsed(std::string_view text) {
  Result<ParsedJson, JsonError> parsed = ParseJson(text);
  CAPTURE(text);
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

std::string Message(std::string_view text, JsonParseOptions options = {}) {
  const Result<ParsedJson, JsonError> parsed = ParseJson(text, options);
  CAPTURE(text);
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

TEST_CASE("values of every kind are read") {
  CHECK(Parsed("null").is_null());
  CHECK(Parsed("true").as_bool());
  CHECK_EQ(Parsed(" -7 ").as_int(), -7);
  CHECK_EQ(Parsed("1.5").as_double(), 1.5);
  CHECK_EQ(Parsed("\"a\\u00e9\\n\\ud83d\\ude00\"").as_string(), "a\xC3\xA9\n\xF0\x9F\x98\x80");
  CHECK_EQ(Parsed("[1,[],{}]").as_array().size(), 3u);
  CHECK_EQ(Parsed("{\"b\":1,\"a\":[2]}").Find("a")->as_array()[0].as_int(), 2);
  CHECK_EQ(Parsed("{}").Find("a"), nullptr);
  CHECK_EQ(Parsed("3").Find("a"), nullptr);
}

TEST_CASE("integers keep 64 bits, larger numbers their text") {
  CHECK_EQ(Parsed("9223372036854775807").as_int(), std::numeric_limits<std::int64_t>::max());
  CHECK_EQ(Parsed("-9223372036854775808").as_int(), std::numeric_limits<std::int64_t>::min());
  CHECK(Parsed("1.0").is_double());
  CHECK(Parsed("1e2").is_double());
  CHECK(Parsed("9.2e18").is_double());
  for (const char* number :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e19", "-1.50E300",
        "123456789012345678901234567890", "1e400", "-1e400", "1.7976931348623159e308"}) {
    CAPTURE(number);
    for (const std::string& text : {std::string(number), "[" + std::string(number) + "]",
                                    "{\"a\": " + std::string(number) + "}",
                                    "[1,2.5,\"1e400 \\\" 2\",-0," + std::string(number) + " ]"}) {
      const Json parsed = Parsed(text);
      const Json& value = parsed.is_object()  ? *parsed.Find("a")
                          : parsed.is_array() ? parsed.as_array().back()
                                              : parsed;
      REQUIRE(value.is_number_text());
      CHECK_EQ(value.Dump(), number);
      CHECK_EQ(value.as_double(), std::strtod(number, nullptr));
    }
  }
  // One number that no double holds does not change what its neighbours are.
  const Json parsed = Parsed(R"([1e400, 7, -7, 0.5, 1e2, 9223372036854775807, 0, "x"])");
  CHECK_EQ(parsed.Dump(), R"([1e400,7,-7,0.5,100,9223372036854775807,0,"x"])");
  CHECK(parsed.as_array()[1].is_int());
  CHECK(parsed.as_array()[4].is_double());
  CHECK_EQ(ParseJson("[1e400, 22, 3x]").error().offset, 13u);
}

TEST_CASE("a zero is zero with any exponent, and doubles are the nearest") {
  for (const char* zero : {"0e111", "0.0000e308", "0e-999", "-0.0e99999", "0.000e+25"}) {
    CAPTURE(zero);
    const auto parsed = ParseJson(zero);
    REQUIRE(parsed.ok());
    CHECK(parsed->value.as_double() == 0.0);
  }
  CHECK(ParseJson("0.1")->value.as_double() == 0.1);
  CHECK(ParseJson("[2.2250738585072011e-308]")->value.as_array()[0].as_double() ==
        2.2250738585072011e-308);
  CHECK(ParseJson("9007199254740993.0")->value.as_double() == 9007199254740992.0);
}

TEST_CASE("numbers keep their text when asked, of any length and size") {
  const auto text_of = [](const Json& value) {
    REQUIRE(value.is_number_text());
    CHECK(value.is_number());
    CHECK_EQ(std::string(value.KindName()), "a number");
    return value.number_text();
  };
  const std::string digits(1000, '7');
  for (const std::string& number :
       {std::string("0"), std::string("-0"), std::string("1.50"), std::string("-12E+05"),
        std::string("1e999999999"), digits, "0." + digits, "1e" + digits}) {
    const Result<ParsedJson, JsonError> parsed = ParseJson(number, {.keep_number_text = true});
    CAPTURE(number);
    REQUIRE(parsed.ok());
    CHECK_EQ(text_of(parsed->value), number);
    CHECK_EQ(parsed->value.Dump(), number);
  }
  const std::string text =
      R"({"a":[1.0,"2 \"3",-4],"b":5,"b":6e2,"c \\":7,"d":{"1":null,"e":true},"f":8})";
  const Result<ParsedJson, JsonError> parsed = ParseJson(text, {.keep_number_text = true});
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->value.Dump(),
           R"({"a":[1.0,"2 \"3",-4],"b":6e2,"c \\":7,"d":{"1":null,"e":true},"f":8})");
  CHECK_EQ(parsed->value.Find("b")->as_double(), 600);
  for (const char* bad : {"01", "+1", ".5", "1.", "1e", "-", "--1", "1-2", "1 2", "1.5.5", "1true",
                          "[1,]", "1e+", "-01", "[1 2]", "0x1", "truee1", "1a"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseJson(bad, {.keep_number_text = true}).ok());
  }
  CHECK_EQ(ParseJson("[1, 22, 3x]", {.keep_number_text = true}).error().offset, 9u);
}

TEST_CASE("an error of too deep nesting is distinguished from other errors") {
  CHECK(ParseJson("[[[1]]]", {.max_depth = 2}).error().too_deep);
  CHECK_FALSE(ParseJson("[[1", {.max_depth = 2}).error().too_deep);
  const std::string deep(100'000, '[');
  CHECK(ParseJson(deep, {.max_depth = 512, .keep_number_text = true}).error().too_deep);
}

TEST_CASE("text that is not JSON is refused") {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "'a'",
                           "01",
                           "+1",
                           ".5",
                           "1.",
                           "NaN",
                           "Infinity",
                           "nul",
                           "1 2",
                           "\"\t\"",
                           "\"\\x41\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "{\"\\ud800\":1}",
                           "// a\n1",
                           "1e999 x",
                           "[1e999,]",
                           "\"abc",
                           "\xEF\xBB\xBF"
                           "1"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseJson(text).ok());
  }
}

TEST_CASE("an error states its position") {
  const Result<ParsedJson, JsonError> parsed = ParseJson("{\"a\": tru}");
  REQUIRE_FALSE(parsed.ok());
  CHECK_GE(parsed.error().offset, 6u);
  CHECK_LE(parsed.error().offset, 9u);
  CHECK_EQ(Message("\"\xFF\""), "invalid UTF-8");
  CHECK_EQ(ParseJson("[\"\xFF\"]").error().offset, 2u);
}

TEST_CASE("a raw control character is named, with how it is written") {
  for (int byte = 0; byte < 0x20; ++byte) {
    const std::string text = "[\"ab" + std::string(1, static_cast<char>(byte)) + "\"]";
    const auto parsed = ParseJson(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().offset == 4);
    char name[8];
    std::snprintf(name, sizeof name, "U+%04X", byte);
    CHECK(parsed.error().message.find(std::string("the control character ") + name) == 0);
    CHECK(parsed.error().message.find(" in a string must be written \\") != std::string::npos);
  }
  const auto message = [](std::string_view text) { return ParseJson(text).error().message; };
  using std::string_view_literals::operator""sv;
  CHECK(message("\"a\tb\"") ==
        "the control character U+0009 (tab) in a string must be written \\t");
  CHECK(message("[1\0]"sv) ==
        "the control character U+0000 (NUL) is not allowed outside of strings");
  CHECK(message("\"a") == "missing a closing quotation mark in string");
  CHECK(message("\"\\x\"") == "invalid escape character in string");
}

TEST_CASE("deep nesting is an error, not a crash") {
  const std::string deep(100000, '[');
  CHECK_EQ(Message(deep), "nested deeper than 256 levels");
  CHECK_EQ(Message("[[[1]]]", {.max_depth = 2}), "nested deeper than 2 levels");
  CHECK(ParseJson("[[1]]", {.max_depth = 2}).ok());
}

TEST_CASE("a repeated key keeps its first place and its last value, and is reported") {
  const Result<ParsedJson, JsonError> parsed = ParseJson("{\"a\":1,\"b\":2,\"a\":3}");
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->value.Dump(), "{\"a\":3,\"b\":2}");
  REQUIRE_EQ(parsed->duplicate_keys.size(), 1u);
  CHECK_EQ(parsed->duplicate_keys[0], "a");
}

TEST_CASE("repeated keys among many are found as among few") {
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"k" + std::to_string(i % 90) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const Result<ParsedJson, JsonError> parsed = ParseJson(text);
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->value.as_object().size(), 90u);
  CHECK_EQ(parsed->value.Find("k3")->as_int(), 93);
  CHECK_EQ(parsed->value.Find("k50")->as_int(), 50);
  CHECK_EQ(parsed->duplicate_keys.size(), 10u);
}

TEST_CASE("Dump reads back to the same value") {
  for (const char* text :
       {"null", "[1,-2.5,1e-07,\"a\\\"\\\\\\n\\u0001\"]", "{\"z\":{\"y\":[]},\"a\":true}"}) {
    const Json value = Parsed(text);
    CHECK_EQ(Parsed(value.Dump()).Dump(), value.Dump());
    CHECK_EQ(value.Dump(), text);
  }
}

TEST_CASE("CanonicalDump is equal for equal content") {
  CHECK_EQ(Parsed("{\"b\":1.0,\"a\":[1e0,2]}").CanonicalDump(),
           Parsed(" {\"a\": [1, 2.0], \"b\": 1}").CanonicalDump());
  CHECK_NE(Parsed("{\"a\":1}").CanonicalDump(), Parsed("{\"a\":1.5}").CanonicalDump());
  CHECK_NE(Parsed("\"1\"").CanonicalDump(), Parsed("1").CanonicalDump());
}

TEST_CASE("Excerpt is short and cuts no character in two") {
  CHECK_EQ(Parsed("\"abc\"").Excerpt(), "\"abc\"");
  const Json long_text(std::string("\xC3\xA9\xC3\xA9\xC3\xA9"));
  CHECK_EQ(long_text.Excerpt(4), "\"\xC3\xA9...");
  CHECK_EQ(Json(Json::Array(1000)).Excerpt(), "an array of 1000 elements");
}

TEST_CASE("KindName speaks of JSON kinds") {
  CHECK_EQ(std::string(Parsed("1").KindName()), "an integer");
  CHECK_EQ(std::string(Parsed("1.5").KindName()), "a number");
  CHECK_EQ(std::string(Parsed("{}").KindName()), "an object");
}

}  // namespace
}  // namespace sglrun
