#include "tokenizer/charsmap.h"

#include <utility>
#include <vector>

#include "tests/tokenizer/small_tokenizers.h"
#include "tokenizer/base64.h"

namespace sglrun::tokenizer {
namespace {

// A double array in which every node has 256 units of its own for its children.
class MapBuilder {
 public:
  MapBuilder() : units_(512, 0), bases_{256} { units_[0] = 256u << 10; }

  MapBuilder& Add(std::string_view text, std::string_view replacement) {
    std::size_t base = bases_[0];
    std::size_t node = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      node = base ^ byte;
      if (units_[node] == 0) {
        const std::size_t fresh = units_.size();
        units_.resize(fresh + 256, 0);
        units_[node] = static_cast<std::uint32_t>((node ^ fresh) << 10) | byte;
      }
      base = node ^ (units_[node] >> 10);
    }
    units_[node] |= 1u << 8;
    units_[base] = static_cast<std::uint32_t>(replacements_.size()) | (1u << 31);
    replacements_.append(replacement).push_back('\0');
    return *this;
  }
  std::vector<std::uint32_t>& units() { return units_; }

  std::string Bytes() const {
    std::string out;
    const auto put = [&](std::uint32_t value) {
      for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
    };
    put(static_cast<std::uint32_t>(4 * units_.size()));
    for (const std::uint32_t unit : units_) put(unit);
    return out + replacements_;
  }

 private:
  std::vector<std::uint32_t> units_;
  std::vector<std::size_t> bases_;
  std::string replacements_;
};

std::string Apply(const MapBuilder& map, std::string_view text) {
  auto parsed = Charsmap::Parse(map.Bytes());
  REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? "" : parsed.error().message));
  return parsed->Normalize(text);
}

std::string RefusalOf(const std::string& bytes) {
  auto parsed = Charsmap::Parse(bytes);
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

TEST_CASE("a character map replaces characters and drops those that map to nothing") {
  MapBuilder map;
  map.Add("A", "a").Add("ﬁ", "fi").Add("\t", "");
  CHECK(Apply(map, "BAﬁ\tx") == "Bafix");
  CHECK(Apply(map, "").empty());
}

TEST_CASE("a short grapheme is replaced as a whole, by its shortest prefix in the map") {
  MapBuilder map;
  map.Add("e\u0301", "é").Add("o", "0");
  CHECK(Apply(map, "e\u0301e") == "ée");
  CHECK(Apply(map, "o\u0301") == "0");  // the accent goes: "o" is the prefix found
  CHECK(Apply(map, "o\u0301\u0302\u0303") == "0\u0301\u0302\u0303");  // seven bytes: one by one
  map.Add("\r", "N");
  CHECK(Apply(map, "\r\n") == "N");  // one grapheme
}

TEST_CASE("data that is not a character map is refused") {
  CHECK(RefusalOf("abc") == "the character map has 3 bytes, must have at least 4");
  CHECK(RefusalOf(std::string("\x08\0\0\0abcd", 8)) ==
        "the character map names a trie of 8 bytes, must be 4 to 4");
  MapBuilder outside;
  outside.Add("a", "b");
  outside.units()[512] = 77 | (1u << 31);
  CHECK(RefusalOf(outside.Bytes()) ==
        "the character map points to byte 77 of 2 bytes of replacements");
  MapBuilder cycle;
  cycle.Add("ab", "c");
  const std::size_t child = 256 ^ 'a';
  // The children of "a" are those of the root: a text may go on for ever.
  cycle.units()[child] = static_cast<std::uint32_t>((child ^ 256) << 10) | 'a';
  CHECK(RefusalOf(cycle.Bytes()) == "the character map has a cycle at unit 353");
}

TEST_CASE("base64 is read whole or not at all") {
  CHECK(DecodeBase64("") == "");
  CHECK(DecodeBase64("YQ==") == "a");
  CHECK(DecodeBase64("YWI=") == "ab");
  CHECK(DecodeBase64("YWJj+/8A") == std::string("abc\xFB\xFF\0", 6));
  for (const char* text : {"YQ", "YQ=", "Y===", "YQ==YQ==", "YR==", "Y Q=", "YW-j", "====", "="}) {
    CAPTURE(text);
    CHECK_FALSE(DecodeBase64(text).has_value());
  }
}

}  // namespace
}  // namespace sglrun::tokenizer
