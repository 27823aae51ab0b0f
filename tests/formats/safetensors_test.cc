#include "formats/safetensors.h"

#include <string>

#include "formats/file_builders.h"

#include <doctest/doctest.h>

namespace sglrun::formats {
namespace {

std::string ErrorOf(const std::string& file) {
  const auto parsed = ParseSafetensors(file, "f");
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

std::string HeaderError(std::string_view header, std::size_t data_bytes = 0) {
  return ErrorOf(SafetensorsBytes(header, data_bytes));
}

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

std::string Entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return R"({"dtype":")" + std::string(dtype) + R"(","shape":)" + std::string(shape) +
         R"(,"data_offsets":)" + std::string(offsets) + "}";
}

}  // namespace

TEST_CASE("a well-formed file gives its tensors in the order of their data") {
  const std::string header = R"({"__metadata__":{"format":"pt"},"b":)" +
                             Entry("F32", "[2,2]", "[6,22]") + R"(,"a":)" +
                             Entry("BF16", "[3]", "[0,6]") + "}   ";
  const auto parsed = ParseSafetensors(SafetensorsBytes(header, 22), "f");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 2);
  CHECK((*parsed)[0].name == "a");
  CHECK((*parsed)[0].dtype == "BF16");
  CHECK((*parsed)[1].shape == std::vector<std::int64_t>{2, 2});
  CHECK((*parsed)[1].begin == 8 + header.size() + 6);
  CHECK((*parsed)[1].end == 8 + header.size() + 22);
}

TEST_CASE("a shape with a zero and a scalar are legal") {
  const std::string header = R"({"empty":)" + Entry("F32", "[0,5]", "[0,0]") + R"(,"scalar":)" +
                             Entry("F64", "[]", "[0,8]") + "}";
  CHECK(ParseSafetensors(SafetensorsBytes(header, 8), "f").ok());
}

TEST_CASE("a file without tensors is legal") {
  CHECK(ParseSafetensors(SafetensorsBytes("{}", 0), "f").ok());
}

TEST_CASE("header lengths that cannot be are refused") {
  CHECK(Says(ErrorOf(""), "too few"));
  CHECK(Says(ErrorOf("1234567"), "too few"));
  CHECK(Says(ErrorOf(Bytes(std::uint64_t{0})), "must begin with {"));
  CHECK(Says(ErrorOf(Bytes(std::uint64_t{1} << 63) + "{}"), "at most 100000000"));
  CHECK(Says(ErrorOf(Bytes(~std::uint64_t{0}) + "{}"), "at most 100000000"));
  CHECK(Says(ErrorOf(Bytes(std::uint64_t{100'000'001}) + "{}"), "at most 100000000"));
  CHECK(Says(ErrorOf(Bytes(std::uint64_t{3}) + "{}"), "cut short"));
}

TEST_CASE("headers that are no JSON object are refused") {
  CHECK(Says(HeaderError("[1]"), "must begin with {"));
  CHECK(Says(HeaderError("{\"a\":}"), "byte 5"));
  CHECK(Says(HeaderError("{\"\xff\":1}"), "header"));
  CHECK(Says(HeaderError("{} x"), "header"));
  CHECK(Says(HeaderError("{\"a\":" + std::string(100'000, '[')), "nested deeper"));
}

TEST_CASE("a header of a million tensors is refused before it is parsed") {
  std::string header = "{";
  for (int i = 0; i < 1'000'000; ++i) header += "\"" + std::to_string(i) + "\":{},";
  header.back() = '}';
  CHECK(Says(HeaderError(header), "more than 200000 tensors"));
}

TEST_CASE("sizes that overflow are refused") {
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[4294967296,4294967296]", "[0,0]") + "}"),
             "exceeds 64 bits"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[2305843009213693952]", "[0,0]") + "}"),
             "exceeds 64 bits"));
}

TEST_CASE("offsets that do not cover the data are refused") {
  const auto two = [](std::string_view first, std::string_view second) {
    return R"({"a":)" + Entry("F32", "[1]", first) + R"(,"b":)" + Entry("F32", "[1]", second) + "}";
  };
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[1]", "[4,0]") + "}", 4), "ascending"));
  CHECK(Says(HeaderError(two("[0,4]", "[2,6]"), 6), "overlap"));
  CHECK(Says(HeaderError(two("[0,4]", "[0,4]"), 4), "overlap"));
  CHECK(Says(HeaderError(two("[0,4]", "[8,12]"), 12), "hole"));
  CHECK(Says(HeaderError(two("[4,8]", "[8,12]"), 12), "hole"));
  CHECK(Says(HeaderError(two("[0,4]", "[4,8]"), 7), "cut short"));
  CHECK(Says(HeaderError(two("[0,4]", "[4,8]"), 9), "1 bytes after"));
}

TEST_CASE("dtype and shape must fit the bytes") {
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F31", "[1]", "[0,4]") + "}", 4), "\"F31\""));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[2]", "[0,4]") + "}", 4), "need 8 bytes"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F4", "[3]", "[0,2]") + "}", 2), "whole bytes"));
}

TEST_CASE("fields of the wrong kind are refused") {
  CHECK(Says(HeaderError(R"({"a":1})"), "must be an object"));
  CHECK(Says(HeaderError(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4), "no dtype"));
  CHECK(Says(HeaderError(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4), "shape is missing"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[-1]", "[0,4]") + "}", 4), "non-negative"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[1.5]", "[0,4]") + "}", 4), "non-negative"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[1]", "[0,4.0]") + "}", 4), "non-negative"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[1]", "[0]") + "}", 4), "two ascending"));
  CHECK(Says(HeaderError(R"({"a":)" + Entry("F32", "[18446744073709551615]", "[0,4]") + "}", 4),
             "non-negative"));
  CHECK(
      Says(HeaderError(
               R"({"a":)" + Entry("F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4),
           "17 dimensions"));
  CHECK(Says(
      HeaderError("{\"" + std::string(2000, 'a') + "\":" + Entry("F32", "[1]", "[0,4]") + "}", 4),
      "1024 bytes"));
}

TEST_CASE("a repeated key is refused") {
  const std::string entry = Entry("F32", "[1]", "[0,4]");
  CHECK(Says(HeaderError(R"({"a":)" + entry + R"(,"a":)" + entry + "}", 4), "twice"));
}

TEST_CASE("an index names each tensor's shard") {
  const auto shards = ParseSafetensorsIndex(
      R"({"metadata":{"total_size":8},"weight_map":{"b":"2.safetensors","a":"1.safetensors"}})",
      "i");
  REQUIRE(shards.ok());
  REQUIRE(shards->size() == 2);
  CHECK((*shards)[0].file == "1.safetensors");
  CHECK((*shards)[1].tensors == std::vector<std::string>{"b"});
}

TEST_CASE("an index may only name plain files of its directory") {
  for (const std::string file :
       {"../../etc/passwd", "/etc/passwd", "a/b", "..", ".", "", "a\\\\b", "a\\u0000b"}) {
    CAPTURE(file);
    const auto shards = ParseSafetensorsIndex(R"({"weight_map":{"a":")" + file + "\"}}", "i");
    REQUIRE_FALSE(shards.ok());
    CHECK(Says(shards.error().message, "plain file name"));
  }
  CHECK_FALSE(ParseSafetensorsIndex(R"({"weight_map":{"a":1}})", "i").ok());
  CHECK_FALSE(ParseSafetensorsIndex(R"({"weight_map":{}})", "i").ok());
  CHECK_FALSE(ParseSafetensorsIndex("{}", "i").ok());
  CHECK_FALSE(ParseSafetensorsIndex(R"({"weight_map":{"a":"x","a":"y"}})", "i").ok());
}

}  // namespace sglrun::formats
