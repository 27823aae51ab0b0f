#include "base/strings.h"

#include <doctest/doctest.h>

namespace sglrun {
namespace {

TEST_CASE("NearestName finds the name closest to a misspelling") {
  constexpr std::string_view kNames[] = {"temperature", "top_p", "top_k", "min_p", "stop"};
  CHECK_EQ(NearestName("temprature", kNames), "temperature");
  CHECK_EQ(NearestName("top_pp", kNames), "top_p");
  CHECK_EQ(NearestName("stpo", kNames), "stop");  // neighbours swapped
  CHECK_EQ(NearestName("min-p", kNames), "min_p");
}

TEST_CASE("NearestName is silent when nothing is near") {
  constexpr std::string_view kNames[] = {"temperature", "stop"};
  CHECK_EQ(NearestName("banana", kNames), "");
  CHECK_EQ(NearestName(std::string(100, 't'), kNames), "");
  CHECK_EQ(NearestName("stop", {}), "");
}

TEST_CASE("ParseByteSize knows decimal and binary units") {
  CHECK_EQ(*ParseByteSize("1048576"), 1048576);
  CHECK_EQ(*ParseByteSize("4GiB"), std::int64_t{4} << 30);
  CHECK_EQ(*ParseByteSize("500MB"), 500000000);
  CHECK_EQ(*ParseByteSize("1.5 KiB"), 1536);
  CHECK_EQ(*ParseByteSize("0B"), 0);
}

TEST_CASE("ParseByteSize refuses a text that is not a size and quotes it") {
  for (const char* text : {"", "GiB", "-1", "5Q", "4 GiB x", "nan", "1e300TiB", "4gib"}) {
    CAPTURE(text);
    const Result<std::int64_t> size = ParseByteSize(text);
    REQUIRE_FALSE(size.ok());
    CHECK_NE(size.error().message.find('"' + std::string(text) + '"'), std::string::npos);
  }
}

TEST_CASE("FormatByteSize takes the unit that reads best") {
  CHECK_EQ(FormatByteSize(0), "0 B");
  CHECK_EQ(FormatByteSize(1023), "1023 B");
  CHECK_EQ(FormatByteSize(1536), "1.5 KiB");
  CHECK_EQ(FormatByteSize(std::int64_t{3} << 40), "3.0 TiB");
}

TEST_CASE("FormatCount puts a comma before every third digit") {
  CHECK_EQ(FormatCount(0), "0");
  CHECK_EQ(FormatCount(999), "999");
  CHECK_EQ(FormatCount(1000), "1,000");
  CHECK_EQ(FormatCount(1234567), "1,234,567");
  CHECK_EQ(FormatCount(-1234), "-1,234");
  CHECK_EQ(FormatCount(1, "record"), "1 record");
  CHECK_EQ(FormatCount(2000, "record"), "2,000 records");
}

}  // namespace
}  // namespace sglrun
