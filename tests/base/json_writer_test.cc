#include "base/json.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace sglrun {
namespace {

std::string Float(float value) {
  std::string out;
  AppendJsonFloat(out, value);
  return out;
}

TEST_CASE("JsonWriter escapes what readers of lines take for a line's end, in keys and values") {
  // U+0085, U+2028, U+2029, and neighbours of each that end no line.
  const std::string odd =
      "a\xC2\x85"
      "b\xE2\x80\xA8"
      "c\xE2\x80\xA9"
      "d\xC2\x86\xE2\x80\xA7\xE2\x80\xAA";
  const std::string escaped = "\"a\\u0085b\\u2028c\\u2029d\xC2\x86\xE2\x80\xA7\xE2\x80\xAA\"";
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  w.Key(odd);
  w.String(odd);
  w.Key("v");
  w.Value(Json(Json::Object{{odd, Json(Json::Array{Json(odd)})}}));
  w.EndObject();
  CHECK(out == "{" + escaped + ":" + escaped + ",\"v\":{" + escaped + ":[" + escaped + "]}}");
  CHECK(ParseJson(out)->value.Find(odd)->as_string() == odd);
  // Texts that are compared and hashed stay as they are.
  CHECK(Json(odd).Dump() == "\"" + odd + "\"");
  CHECK(Json(odd).CanonicalDump() == "\"" + odd + "\"");
}

TEST_CASE("JsonWriter sets commas between values and nowhere else") {
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  w.Key("a");
  w.BeginArray();
  w.Int(1);
  w.Null();
  w.BeginArray();
  w.EndArray();
  w.BeginObject();
  w.EndObject();
  w.Bool(false);
  w.EndArray();
  w.Key("b");
  w.String("x\"y");
  w.Key("c");
  w.UInt(18446744073709551615ull);
  w.Key("d");
  w.Raw("[1]");
  w.Key("e");
  w.Value(Json(2.5));
  w.EndObject();
  CHECK_EQ(out,
           "{\"a\":[1,null,[],{},false],\"b\":\"x\\\"y\",\"c\":18446744073709551615,\"d\":[1],"
           "\"e\":2.5}");
}

TEST_CASE("control characters are escaped, other text is left alone") {
  std::string out;
  AppendJsonString(out, std::string_view("\0\x1f\x7f\t\xC3\xA9/", 7));
  CHECK_EQ(out, "\"\\u0000\\u001f\x7f\\t\xC3\xA9/\"");
}

TEST_CASE("floats have the fewest digits that read back to the same float32") {
  CHECK_EQ(Float(0.1f), "0.1");
  CHECK_EQ(Float(-2.25f), "-2.25");
  CHECK_EQ(Float(0.0f), "0");
  std::uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = std::bit_cast<float>(state);
    if (!std::isfinite(value)) continue;
    REQUIRE_EQ(std::bit_cast<std::uint32_t>(std::strtof(Float(value).c_str(), nullptr)), state);
  }
}

TEST_CASE("infinity is written as the nearest number, and NaN as null") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK_EQ(Float(-kInfinity), "-3.4028234663852886e38");
  CHECK_EQ(Float(kInfinity), "3.4028234663852886e38");
  CHECK_EQ(Float(std::numeric_limits<float>::lowest()), "-3.4028234663852886e38");
  CHECK_EQ(Float(std::numeric_limits<float>::quiet_NaN()), "null");
}

TEST_CASE("the digits for -inf read as the lowest float32") {
  CHECK_EQ(std::strtof("-3.4028234663852886e38", nullptr), std::numeric_limits<float>::lowest());
}

}  // namespace
}  // namespace sglrun
