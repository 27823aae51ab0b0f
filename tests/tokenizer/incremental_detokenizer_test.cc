#include "base/utf8.h"
#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

std::string Stream(const Tokenizer& tokenizer, const Ids& ids, bool skip, const Ids& tail = {}) {
  IncrementalDetokenizer out(tokenizer, tail, skip);
  std::string text;
  for (const TokenId id : ids) {
    const std::string piece = out.Append(id);
    CHECK(IsValidUtf8(piece));
    text += piece;
  }
  return text + out.Finish();
}

// 0-255: the bytes; 256: a special token.
std::unique_ptr<Tokenizer> ByteTokenizer() {
  std::vector<std::string> letters;
  for (int byte = 0; byte < 256; ++byte) {
    const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    static int next;
    if (byte == 0) next = 0x100;
    std::string letter;
    AppendUtf8(letter, static_cast<char32_t>(itself ? byte : next++));
    letters.push_back(letter);
  }
  return FromJson(BpeJson(letters, {}, "",
                          R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"
                          R"("decoder":{"type":"ByteLevel"},"added_tokens":[)"
                          R"({"id":256,"content":"<|end|>","special":true}],)"));
}

const char* const kLlamaParts = R"("normalizer":{"type":"Sequence","normalizers":[
    {"type":"Prepend","prepend":"▁"},
    {"type":"Replace","pattern":{"String":" "},"content":"▁"}]},
    "decoder":{"type":"Sequence","decoders":[
    {"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},
    {"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},
    "added_tokens":[{"id":0,"content":"<s>","special":true}],)";

std::unique_ptr<Tokenizer> LlamaTokenizer() {
  return FromJson(BpeJson({"<s>", "▁Paris", "▁", "x", "<0xE2>", "<0x82>", "<0xAC>", "<0x20>"}, {},
                          "", kLlamaParts));
}

TEST_CASE("pieces joined equal the decoded whole, for random bytes") {
  const auto tokenizer = ByteTokenizer();
  std::uint32_t state = 7;
  for (int round = 0; round < 2000; ++round) {
    Ids ids;
    const std::uint32_t length = (state >> 16) % 12;
    for (std::uint32_t i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      // Lead and continuation bytes are frequent, so that characters come about and break.
      static constexpr TokenId kBytes[] = {0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x99, 0x82,
                                           0xC3, 0xA9, 'a',  ' ',  256,  0xFF, 0xED};
      ids.push_back((state >> 24) % 5 == 0 ? static_cast<TokenId>((state >> 8) & 0xFF)
                                           : kBytes[(state >> 16) % std::size(kBytes)]);
    }
    for (const bool skip : {true, false}) {
      CAPTURE(ids);
      CHECK(Stream(*tokenizer, ids, skip) == tokenizer->Decode(ids, skip));
    }
    state += 12345;
  }
}

TEST_CASE("a character is held back until its last byte, and at most three bytes are") {
  const auto tokenizer = ByteTokenizer();
  IncrementalDetokenizer out(*tokenizer, {}, true);
  CHECK(out.Append(0xF0).empty());
  CHECK(out.Append(0x9F).empty());
  CHECK(out.Append(0x99).empty());
  CHECK(out.Append(0x82) == "🙂");
  CHECK(out.Append(0xE2).empty());
  CHECK(out.Append('a') == "\uFFFDa");
  CHECK(out.Append(0xC3).empty());
  CHECK(out.Finish() == "\uFFFD");
  CHECK(out.Finish().empty());
}

TEST_CASE("bytes that cannot begin a character are not held back") {
  const auto tokenizer = ByteTokenizer();
  IncrementalDetokenizer out(*tokenizer, {}, true);
  CHECK(out.Append(0xFF) == "\uFFFD");
  CHECK(out.Append(0x80) == "\uFFFD");
}

TEST_CASE("half a character at the end of the prompt does not leak into the output") {
  const auto tokenizer = ByteTokenizer();
  CHECK(Stream(*tokenizer, {0xA9, 'a'}, true, {0xC3}) == "\uFFFDa");
}

TEST_CASE("the leading space of a SentencePiece-like text survives behind a prompt") {
  const auto tokenizer = LlamaTokenizer();
  CHECK(Stream(*tokenizer, {1, 1}, true, {3}) == " Paris Paris");
  CHECK(Stream(*tokenizer, {1, 1}, true) == "Paris Paris");
  // BOS is no text when special tokens are skipped, and is text when they are not.
  CHECK(Stream(*tokenizer, {1}, true, {0}) == "Paris");
  CHECK(Stream(*tokenizer, {1}, false, {0}) == " Paris");
  CHECK(Stream(*tokenizer, {0, 2, 1}, true) == " Paris");
  CHECK(Stream(*tokenizer, {7, 3}, true) == "x");
}

TEST_CASE("byte tokens join to characters") {
  const auto tokenizer = LlamaTokenizer();
  CHECK(Stream(*tokenizer, {4, 5, 6, 1}, true) == "€ Paris");
  CHECK(tokenizer->Decode(Ids{4, 5, 6, 1}, true) == "€ Paris");
}

TEST_CASE("special tokens between halves of a character are skipped without a trace") {
  const auto tokenizer = ByteTokenizer();
  CHECK(Stream(*tokenizer, {0xC3, 256, 0xA9}, true) == "é");
  CHECK(Stream(*tokenizer, {0xC3, 256, 0xA9}, false) == "\uFFFD<|end|>\uFFFD");
}

}  // namespace
}  // namespace sglrun::tokenizer
