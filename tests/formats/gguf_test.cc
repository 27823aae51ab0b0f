#include "formats/gguf.h"

#include <string>

#include "formats/file_builders.h"

#include <doctest/doctest.h>

namespace sglrun::formats {
namespace {

constexpr std::uint32_t kF32 = 0, kQ4_0 = 2;

// The file only has to live as long as the result is looked at.
std::string ErrorOf(const std::string& file) {
  const auto parsed = ParseGguf(file, "f");
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

GgufBuilder Small() {
  GgufBuilder builder;
  builder.String("general.architecture", "llama");
  builder.U32("llama.block_count", 2);
  builder.F32("llama.eps", 0.5f);
  builder.Strings("tokens", {"a", "", "\xff"});
  builder.Tensor("w", {32, 3}, kQ4_0, std::string(54, '\2'));
  builder.Tensor("v", {4}, kF32, std::string(16, '\3'));
  return builder;
}

// One tensor description and nothing else around it.
std::string WithTensor(const std::vector<std::int64_t>& dims, std::uint32_t type,
                       std::uint64_t offset, std::size_t data_bytes = 64) {
  GgufBuilder builder;
  builder.TensorAt("t", dims, type, offset);
  builder.Data(data_bytes);
  return builder.Build();
}

std::string WithKey(std::uint32_t type, std::string_view value) {
  GgufBuilder builder;
  builder.Key("k", type, value);
  return builder.Build();
}

}  // namespace

TEST_CASE("versions 2 and 3 give metadata and tensors, shapes slowest first") {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufBuilder builder = Small();
    builder.version = version;
    const std::string file = builder.Build();
    const auto gguf = ParseGguf(file, "f");
    REQUIRE(gguf.ok());
    CHECK(**gguf->String("general.architecture") == "llama");
    CHECK(**gguf->Int("llama.block_count") == 2);
    CHECK(**gguf->Float("llama.eps") == 0.5);
    CHECK((**gguf->Strings("tokens"))[2] == "\xff");
    REQUIRE(gguf->tensors.size() == 2);
    CHECK(gguf->tensors[0].shape == std::vector<std::int64_t>{3, 32});
    CHECK(gguf->tensors[0].type == "Q4_0");
    CHECK(gguf->tensors[0].bytes == 54);
    CHECK(file[gguf->tensors[0].begin] == '\2');
    CHECK(file[gguf->tensors[1].begin] == '\3');
  }
}

TEST_CASE("an integer key may have any width") {
  const auto value = [](std::uint32_t type, std::string_view bytes) {
    const std::string file = WithKey(type, bytes);
    const auto gguf = ParseGguf(file, "f");
    REQUIRE(gguf.ok());
    return **gguf->Int("k");
  };
  CHECK(value(0, Bytes(std::uint8_t{200})) == 200);
  CHECK(value(1, Bytes(std::int8_t{-5})) == -5);
  CHECK(value(2, Bytes(std::uint16_t{60000})) == 60000);
  CHECK(value(3, Bytes(std::int16_t{-300})) == -300);
  CHECK(value(4, Bytes(std::uint32_t{4000000000})) == 4000000000);
  CHECK(value(5, Bytes(std::int32_t{-70000})) == -70000);
  CHECK(value(10, Bytes(std::uint64_t{1} << 40)) == std::int64_t{1} << 40);
  CHECK(value(11, Bytes(std::int64_t{-1})) == -1);
}

TEST_CASE("a key of another kind is named") {
  const std::string file = Small().Build();
  const auto gguf = ParseGguf(file, "f");
  REQUIRE(gguf.ok());
  CHECK(Says(gguf->Int("general.architecture").error().message, "a string, must be an integer"));
  CHECK(Says(gguf->Int("llama.eps").error().message, "must be an integer"));
  CHECK(Says(gguf->String("tokens").error().message, "an array of strings, must be a string"));
  CHECK_FALSE(gguf->Int("absent")->has_value());
  CHECK(*gguf->Strings("absent") == nullptr);
}

TEST_CASE("version 1 and big-endian files are refused by name") {
  GgufBuilder builder;
  builder.version = 1;
  CHECK(Says(ErrorOf(builder.Build()), "version 1, versions 2 and 3"));
  builder.version = 4;
  CHECK(Says(ErrorOf(builder.Build()), "version 4"));
  builder.version = 0x03000000;
  CHECK(Says(ErrorOf(builder.Build()), "big-endian"));
  builder.version = 0;
  CHECK(Says(ErrorOf(builder.Build()), "version 0"));
  CHECK(Says(ErrorOf("GGML" + Bytes(3)), "begin with GGUF"));
}

TEST_CASE("every prefix of a file is refused as cut short") {
  const std::string file = Small().Build();
  REQUIRE(ParseGguf(file, "f").ok());
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    // A copy of the exact size, so that a sanitizer sees a read after it.
    const std::string prefix = file.substr(0, size);
    const auto parsed = ParseGguf(prefix, "f");
    REQUIRE_FALSE(parsed.ok());
    CHECK(Says(parsed.error().message, "cut short"));
  }
}

TEST_CASE("counts beyond the file cost no memory") {
  GgufBuilder builder = Small();
  builder.extra_keys = std::uint64_t{1} << 60;
  CHECK(Says(ErrorOf(builder.Build()), "metadata keys"));
  builder = Small();
  builder.extra_tensors = std::uint64_t{1} << 60;
  CHECK(Says(ErrorOf(builder.Build()), "tensor descriptions"));
  builder = Small();
  builder.extra_tensors = ~std::uint64_t{0} - 8;
  CHECK(Says(ErrorOf(builder.Build()), "tensor descriptions"));
}

TEST_CASE("strings and arrays beyond the file are refused") {
  CHECK(Says(ErrorOf(WithKey(8, Bytes(~std::uint64_t{0}) + "abc")), "cut short"));
  const auto array = [](std::uint32_t element, std::uint64_t count, std::string_view rest) {
    return WithKey(9, Bytes(element) + Bytes(count) + std::string(rest));
  };
  CHECK(Says(ErrorOf(array(4, ~std::uint64_t{0}, "")), "cut short"));
  CHECK(Says(ErrorOf(array(4, (std::uint64_t{1} << 62) + 1, "abcd")), "cut short"));
  CHECK(Says(ErrorOf(array(8, std::uint64_t{1} << 61, "abcdefgh")), "cut short"));
  CHECK(Says(ErrorOf(array(9, std::uint64_t{1} << 60, "abcdefgh")), "cut short"));
  CHECK(Says(ErrorOf(array(77, 1, "abcdefgh")), "unknown element type 77"));
  CHECK(Says(ErrorOf(WithKey(13, "abcdefgh")), "unknown value type 13"));
}

TEST_CASE("arrays may be nested a little, not without end") {
  const auto nested = [](int levels) {
    std::string value;
    for (int i = 1; i < levels; ++i) value += Bytes(std::uint32_t{9}) + Bytes(std::uint64_t{1});
    value += Bytes(std::uint32_t{0}) + Bytes(std::uint64_t{1}) + "x";
    return WithKey(9, value);
  };
  CHECK(ParseGguf(nested(3), "f").ok());
  CHECK(Says(ErrorOf(nested(5)), "nested deeper"));
  CHECK(Says(ErrorOf(nested(100'000)), "nested deeper"));
}

TEST_CASE("empty and repeated names are refused") {
  GgufBuilder builder = Small();
  builder.U32("", 1);
  CHECK(Says(ErrorOf(builder.Build()), "key is empty"));
  builder = Small();
  builder.U32("llama.block_count", 1);
  CHECK(Says(ErrorOf(builder.Build()), "occurs twice"));
  builder = Small();
  builder.Tensor("w", {4}, kF32, std::string(16, 'x'));
  CHECK(Says(ErrorOf(builder.Build()), "occurs twice"));
  builder = Small();
  builder.Tensor(std::string(64, 'n'), {4}, kF32, std::string(16, 'x'));
  CHECK(Says(ErrorOf(builder.Build()), "64 bytes"));
}

TEST_CASE("the alignment is a power of two of type u32") {
  for (const std::uint32_t bad : {0u, 3u, 33u}) {
    GgufBuilder builder = Small();
    builder.U32("general.alignment", bad);
    CHECK(Says(ErrorOf(builder.Build()), "power of two"));
  }
  GgufBuilder builder = Small();
  builder.Key("general.alignment", 10, Bytes(std::uint64_t{32}));
  CHECK(Says(ErrorOf(builder.Build()), "power of two of type u32"));
  GgufBuilder wide;
  wide.alignment = 64;
  wide.U32("general.alignment", 64);
  wide.Tensor("a", {4}, kF32, std::string(16, 'a'));
  wide.Tensor("b", {4}, kF32, std::string(16, 'b'));
  const std::string file = wide.Build();
  const auto gguf = ParseGguf(file, "f");
  REQUIRE(gguf.ok());
  CHECK(file[gguf->tensors[1].begin] == 'b');
}

TEST_CASE("dimensions that cannot be are refused") {
  CHECK(Says(ErrorOf(WithTensor({0}, kF32, 0)), "dimension"));
  CHECK(Says(ErrorOf(WithTensor({4, -1}, kF32, 0)), "dimension"));
  CHECK(Says(ErrorOf(WithTensor({1ll << 32, 1ll << 32}, kF32, 0)), "2^63"));
  CHECK(Says(ErrorOf(WithTensor({1ll << 62}, kF32, 0)), "2^63 bytes"));
  CHECK(Says(ErrorOf(WithTensor({1, 1, 1, 1, 1}, kF32, 0)), "5 dimensions"));
  CHECK(Says(ErrorOf(WithTensor({33}, kQ4_0, 0)), "multiple of 32"));
}

TEST_CASE("places outside the data are refused, also where a sum wraps to zero") {
  CHECK(ParseGguf(WithTensor({16}, kF32, 0), "f").ok());
  CHECK(Says(ErrorOf(WithTensor({16}, kF32, 32)), "cut short"));
  CHECK(Says(ErrorOf(WithTensor({16}, kF32, 64)), "cut short"));
  CHECK(Says(ErrorOf(WithTensor({17}, kF32, 0)), "cut short"));
  CHECK(Says(ErrorOf(WithTensor({4}, kF32, ~std::uint64_t{31})), "cut short"));
  CHECK(Says(ErrorOf(WithTensor({(1ll << 61) - 1}, kF32, 0)), "cut short"));
  CHECK(Says(ErrorOf(WithTensor({4}, kF32, 8)), "multiple of the alignment"));
  GgufBuilder builder;
  builder.TensorAt("a", {16}, kF32, 0);
  builder.TensorAt("b", {8}, kF32, 32);
  builder.Data(64);
  CHECK(Says(ErrorOf(builder.Build()), "overlaps"));
}

TEST_CASE("unknown and unsupported types are refused, the latter by name") {
  CHECK(Says(ErrorOf(WithTensor({32}, 99, 0)), "unknown type 99"));
  CHECK(Says(ErrorOf(WithTensor({32}, 4, 0)), "unknown type 4"));
  CHECK(Says(ErrorOf(WithTensor({256}, 16, 0)), "IQ2_XXS, which is not supported"));
  CHECK(Says(ErrorOf(WithTensor({256}, 34, 0)), "TQ1_0"));
}

TEST_CASE("a vocabulary without weights is legal") {
  GgufBuilder builder;
  builder.Strings("tokenizer.ggml.tokens", {"a", "b"});
  CHECK(ParseGguf(builder.Build(), "f").ok());
}

}  // namespace sglrun::formats
