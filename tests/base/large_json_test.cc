#include "base/large_json.h"

#include <doctest/doctest.h>

#include <string>

#include "base/stop_flag.h"

namespace sglrun {
namespace {

constexpr std::size_t kEndless = std::size_t{1} << 40;

TEST_CASE("a text read in place gives the same values as a text that is kept") {
  for (const std::string_view text :
       {R"({"a":[1,-2.5,1e999,"x\u00e9\"\n",null],"\ud83d\ude00":{"k":1,"k":2}})", "[]", " 7 ",
        R"(["\\",18446744073709551615,-0,0.0e308])"}) {
    INFO(text);
    std::string copy(text);
    const auto in_place = ParseLargeJson(copy, kEndless);
    const auto kept = ParseJson(text);
    REQUIRE(in_place.ok());
    CHECK(in_place->value.Dump() == kept->value.Dump());
    CHECK(in_place->duplicate_keys == kept->duplicate_keys);
  }
}

TEST_CASE("a malformed number is refused with the position of the error") {
  struct Malformed {
    const char* text;
    std::size_t offset;
  };
  for (const Malformed& malformed :
       {Malformed{"[2.-3]", 3}, Malformed{"[1.5.3]", 4}, Malformed{"[--3]", 2},
        Malformed{"[01]", 2}, Malformed{"[9223372036854775808e]", 21}}) {
    INFO(malformed.text);
    const auto parsed = ParseJson(malformed.text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().offset == malformed.offset);
  }
}

TEST_CASE("text after a NUL character is read") {
  CHECK_FALSE(ParseJson(std::string_view("{\"a\":1}\0x", 9)).ok());
  CHECK_FALSE(ParseJson(std::string_view("{\"a\":1}\0", 8)).ok());
}

TEST_CASE("values above the memory limit are refused before the memory is allocated") {
  const auto read = [](std::string text, std::size_t limit) { return ParseLargeJson(text, limit); };
  const std::string list = "[" + std::string(2000, '[') + "1";
  std::string numbers = "[0";
  for (int i = 1; i < 100'000; ++i) numbers += ",0";
  numbers += "]";
  std::string empty = "[{}";
  for (int i = 1; i < 100'000; ++i) empty += ",{}";
  empty += "]";
  const std::string text = "[\"" + std::string(3 << 20, 'x') + "\"]";
  const std::string key = "{\"" + std::string(3 << 20, 'x') + "\":1}";
  for (const std::string& line : {numbers, empty, text, key}) {
    INFO(line.substr(0, 10));
    const auto refused = read(line, 2 << 20);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().too_large);
    CHECK(refused.error().error.message == "its values take more than 2 MiB of memory");
    CHECK(read(line, 32 << 20).ok());
  }
  CHECK_FALSE(read(list, 1 << 20).error().too_large);  // too deep
}

TEST_CASE("a hash of a value is that of its canonical text, however long it is") {
  for (const std::string& text : {std::string(R"({"b":1.0,"a":[true,{"z":"\n"}]})"),
                                  "{\"text\":\"" + std::string(300'000, 'x') + "\\n\",\"a\":[" +
                                      std::string(200'000, '1') + "]}"}) {
    const auto parsed = ParseJson(text);
    REQUIRE(parsed.ok());
    CHECK(CanonicalHash(parsed->value) == HashBytes(parsed->value.CanonicalDump()));
    CHECK(CanonicalHash(parsed->value, "ab") == HashBytes("ab" + parsed->value.CanonicalDump()));
  }
}

TEST_CASE("a signal ends the reading of a line before its end") {
  std::string line = "[[{}],x";  // wrong after some values
  StopFlag::Request();
  const auto stopped = ParseLargeJson(line, kEndless);
  // Files that the program reads or writes when it ends are read to their end.
  const auto whole = ParseJson("[[{}],1]");
  StopFlag::Clear();
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().error.offset < 6);
  CHECK(whole.ok());
}

}  // namespace
}  // namespace sglrun
