// Whole tokenizers of a few tokens; the expected ids are worked out by hand.
#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

const char* const kByteLevelParts =
    R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"decoder":{"type":"ByteLevel"},)";

// h e l o Ġ w r d Ã © he ll lo hell hello Ġw
const std::vector<std::string> kLetters = {"h", "e", "l",  "o",  "Ġ",  "w",    "r",     "d",
                                           "Ã", "©", "he", "ll", "lo", "hell", "hello", "Ġw"};

TEST_CASE("byte-level BPE merges in the order of the ranks") {
  const auto tokenizer = FromJson(
      BpeJson(kLetters, {"h e", "l l", "he ll", "hell o", "l o", "Ġ w"}, "", kByteLevelParts));
  CHECK(Encode(*tokenizer, "hello world") == Ids{14, 15, 3, 6, 2, 7});
  CHECK(Encode(*tokenizer, "helo") == Ids{10, 12});
  CHECK(Encode(*tokenizer, "é") == Ids{8, 9});
  CHECK(Encode(*tokenizer, "").empty());
  CHECK(tokenizer->Decode(Ids{14, 15, 3, 6, 2, 7}, false) == "hello world");
  CHECK(tokenizer->Decode(Ids{8, 99, -1}, false) == "\uFFFD");
  CHECK(tokenizer->Description() == "byte-level BPE, 16 tokens");
}

TEST_CASE("the lowest rank wins over the longest token") {
  // With "l o" first, hello becomes he l lo.
  const auto tokenizer =
      FromJson(BpeJson(kLetters, {"l o", "h e", "l l", "he ll", "hell o"}, "", kByteLevelParts));
  CHECK(Encode(*tokenizer, "hello") == Ids{10, 2, 12});
}

TEST_CASE("merges may be pairs, and a header line among strings is passed over") {
  const auto pairs =
      FromJson(R"({"model":{"type":"BPE","vocab":{"a":0," b":1,"a b":2," ":3,"b":4},)"
               R"("merges":[[" ","b"],["a"," b"]]}})");
  CHECK(Encode(*pairs, "a b") == Ids{2});
  const auto header = FromJson(BpeJson({"a", "b", "ab"}, {"#version: 0.2", "a b"}));
  CHECK(Encode(*header, "ab") == Ids{2});
}

TEST_CASE("ignore_merges takes a word that is a token whole") {
  const std::vector<std::string> tokens = {"a", "b", "c", "ab", "abc"};
  CHECK(Encode(*FromJson(BpeJson(tokens, {"a b"})), "abc") == Ids{3, 2});
  const auto whole = FromJson(BpeJson(tokens, {"a b"}, R"("ignore_merges":true,)"));
  CHECK(Encode(*whole, "abc") == Ids{4});
  CHECK(Encode(*whole, "abcc") == Ids{3, 2, 2});
}

TEST_CASE("unknown characters become the unknown token, fused or not, or nothing") {
  const std::vector<std::string> tokens = {"<unk>", "a", "b", "ab"};
  const auto encode = [&](const std::string& options) {
    return Encode(*FromJson(BpeJson(tokens, {"a b"}, options)), "xya中b");
  };
  CHECK(encode(R"("unk_token":"<unk>",)") == Ids{0, 0, 1, 0, 2});
  CHECK(encode(R"("unk_token":"<unk>","fuse_unk":true,)") == Ids{0, 1, 0, 2});
  CHECK(encode("") == Ids{3});
}

TEST_CASE("byte_fallback writes the bytes of unknown characters") {
  const std::vector<std::string> tokens = {"<unk>", "a", "<0xC3>", "<0xA9>"};
  const auto tokenizer = FromJson(BpeJson(
      tokens, {}, R"("unk_token":"<unk>","byte_fallback":true,)",
      R"("decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"}]},)"));
  CHECK(Encode(*tokenizer, "aéa") == Ids{1, 2, 3, 1});
  CHECK(Encode(*tokenizer, "ö") == Ids{0});  // <0xB6> is missing
  CHECK(tokenizer->Decode(Ids{1, 2, 3}, false) == "aé");
  CHECK(tokenizer->TokenBytes(2) == "\xC3");
}

TEST_CASE("affixes mark where in a word a character stands") {
  const auto suffix = FromJson(BpeJson({"a", "b", "b</w>", "ab</w>", "a</w>"}, {"a b</w>"},
                                       R"("end_of_word_suffix":"</w>",)",
                                       R"("pre_tokenizer":{"type":"WhitespaceSplit"},)"
                                       R"("decoder":{"type":"BPEDecoder","suffix":"</w>"},)"));
  CHECK(Encode(*suffix, "ab a") == Ids{3, 4});
  CHECK(suffix->Decode(Ids{3, 4}, false) == "ab a");
  const auto prefix = FromJson(BpeJson({"a", "##a", "##b", "ab", "aba"}, {"a ##b", "ab ##a"},
                                       R"("continuing_subword_prefix":"##",)"));
  CHECK(Encode(*prefix, "abaa") == Ids{4, 1});
}

// A SentencePiece-like file: no pre-tokenizer, one word is the whole text.
std::string SentencePieceLike(const std::vector<std::string>& more,
                              const std::vector<std::string>& merges) {
  std::vector<std::string> tokens = {"<unk>", "▁", "a", "b", "▁a", "ab", ">"};
  tokens.insert(tokens.end(), more.begin(), more.end());
  return BpeJson(tokens, merges, R"("unk_token":"<unk>","fuse_unk":true,)",
                 R"("normalizer":{"type":"Replace","pattern":{"String":" "},"content":"▁"},)");
}

TEST_CASE("words of a text without a pre-tokenizer are cut where no merge can cross") {
  const auto tokenizer = FromJson(SentencePieceLike({}, {"▁ a", "a b"}));
  CHECK(Encode(*tokenizer, "ab ab  b") == Ids{5, 4, 3, 1, 1, 3});
  CHECK(Encode(*tokenizer, "x ab") == Ids{0, 4, 3});
  CHECK(Encode(*tokenizer, "abab>xyb") == Ids{5, 5, 6, 0, 3});  // "xy" is one unknown token
}

TEST_CASE("a token across the space keeps the words together") {
  const auto tokenizer = FromJson(SentencePieceLike({">▁"}, {"> ▁", "▁ a", "a b"}));
  CHECK(Encode(*tokenizer, "b> a ab") == Ids{3, 7, 2, 4, 3});
}

TEST_CASE("added tokens are cut out first; special ones can be left out of the text") {
  const std::string parts =
      std::string(kByteLevelParts) +
      R"("added_tokens":[{"id":16,"content":"<s>","special":true,"normalized":false},
         {"id":17,"content":"<tool>","special":false,"normalized":false},
         {"id":14,"content":"hello","special":false,"normalized":false}],)";
  const auto tokenizer = FromJson(BpeJson(kLetters, {"h e"}, "", parts));
  const Ids ids = Encode(*tokenizer, "<s>he<tool>hello");
  CHECK(ids == Ids{16, 10, 17, 14});
  CHECK(tokenizer->Decode(ids, true) == "he<tool>hello");
  CHECK(tokenizer->Decode(ids, false) == "<s>he<tool>hello");
  CHECK(tokenizer->IsSpecial(16));
  CHECK_FALSE(tokenizer->IsSpecial(17));
  CHECK(tokenizer->vocab_size() == 18);
  CHECK(tokenizer->Find("<tool>") == 17);
  CHECK_FALSE(tokenizer->Find("nothing").has_value());
}

TEST_CASE("a normalised added token is looked for in the normalised text") {
  const std::string parts =
      R"("normalizer":{"type":"Lowercase"},"added_tokens":[
         {"id":2,"content":"AB","special":false,"normalized":true},
         {"id":3,"content":"BA","special":false,"normalized":false}],)";
  const auto tokenizer = FromJson(BpeJson({"a", "b"}, {}, "", parts));
  CHECK(Encode(*tokenizer, "Ab") == Ids{2});
  CHECK(Encode(*tokenizer, "baBA") == Ids{1, 0, 3});
}

// What tokenizers 0.23.3 gives.
TEST_CASE("a normalised added token is decoded as it was normalised, and found by its own text") {
  const auto lower = FromJson(BpeJson({"a", "b"}, {}, "",
                                      R"("normalizer":{"type":"Lowercase"},"added_tokens":[
         {"id":2,"content":"AB","special":false,"normalized":true},
         {"id":3,"content":"BA","special":false,"normalized":false}],)"));
  CHECK(lower->Decode(Ids{0, 2, 3, 0}, false) == "a ab BA a");
  CHECK(lower->TokenBytes(2) == " ab");
  CHECK(lower->Find("AB") == 2);
  CHECK_FALSE(lower->Find("ab").has_value());
  const auto spaced = FromJson(BpeJson({"a", "b"}, {}, "",
                                       R"("normalizer":{"type":"Sequence","normalizers":[
           {"type":"Prepend","prepend":"▁"},
           {"type":"Replace","pattern":{"String":" "},"content":"▁"}]},
         "decoder":{"type":"Sequence","decoders":[
           {"type":"Replace","pattern":{"String":"▁"},"content":" "},
           {"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},
         "added_tokens":[{"id":2,"content":"Foo Bar","special":false,"normalized":true}],)"));
  CHECK(spaced->Decode(Ids{2}, false) == "Foo Bar");
  CHECK(spaced->Decode(Ids{0, 2, 0}, false) == "a Foo Bara");
}

TEST_CASE("ids may have gaps, which are no tokens") {
  const auto tokenizer = FromJson(
      R"({"model":{"type":"BPE","vocab":{"a":0,"b":7},"merges":[]},"decoder":{"type":"Fuse"}})");
  CHECK(tokenizer->vocab_size() == 8);
  CHECK(tokenizer->IsToken(7));
  CHECK_FALSE(tokenizer->IsToken(3));
  CHECK_FALSE(tokenizer->IsToken(8));
  CHECK_FALSE(tokenizer->IsToken(-1));
  CHECK(tokenizer->TokenName(3).empty());
  CHECK(tokenizer->Decode(Ids{0, 3, 7}, false) == "ab");
}

TEST_CASE("the post-processor's tokens can be left out") {
  const std::string parts =
      std::string(kByteLevelParts) +
      R"("post_processor":{"type":"BertProcessing","cls":["h",0],"sep":["e",1]},)";
  const auto tokenizer = FromJson(BpeJson(kLetters, {}, "", parts));
  CHECK(Encode(*tokenizer, "w") == Ids{0, 5, 1});
  CHECK(Encode(*tokenizer, "w", {.add_special_tokens = false}) == Ids{5});
}

TEST_CASE("invalid UTF-8 is encoded as U+FFFD") {
  const auto tokenizer =
      FromJson(BpeJson({"a", "\uFFFD"}, {}, "", R"("decoder":{"type":"Fuse"},)"));
  CHECK(Encode(*tokenizer, "a\xFF\xC3") == Ids{0, 1, 1});
}

TEST_CASE("stop ids are the end of text and the ends of messages") {
  const std::string parts =
      R"("added_tokens":[{"id":1,"content":"</s>","special":true},
         {"id":2,"content":"<|eom_id|>","special":true}],)";
  TokenizerConfig config;
  config.eos_token = "</s>";
  config.bos_token = "not there";
  const auto tokenizer = FromJson(BpeJson({"a"}, {}, "", parts), config);
  CHECK(tokenizer->eos_id() == 1);
  CHECK_FALSE(tokenizer->bos_id().has_value());
  CHECK(tokenizer->StopIds() == Ids{1, 2});
}

}  // namespace
}  // namespace sglrun::tokenizer
