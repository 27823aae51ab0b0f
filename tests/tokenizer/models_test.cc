// Unigram, WordPiece and WordLevel; the expected ids are worked out by hand.
#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

std::string UnigramJson(const std::string& vocab, const std::string& options = "\"unk_id\":0,",
                        const std::string& parts = "") {
  return "{" + parts + R"("model":{"type":"Unigram",)" + options + "\"vocab\":" + vocab + "}}";
}

const char* const kPieces =
    R"([["<unk>",0],["a",0],["b",0],["c",0],["d",0],["cd",1],["ab",2],["abc",5],["abcd",10]])";

TEST_CASE("Unigram takes the way with the highest sum of scores") {
  const auto tokenizer = FromJson(UnigramJson(kPieces));
  CHECK(Encode(*tokenizer, "abcdacd") == Ids{8, 1, 5});
  CHECK(Encode(*tokenizer, "abcc") == Ids{7, 3});
  CHECK(Encode(*tokenizer, "").empty());
  CHECK(tokenizer->Description() == "Unigram, 9 tokens");
  // -1 - 1 beats -3: two pieces instead of one.
  CHECK(Encode(*FromJson(UnigramJson(R"([["u",0],["a",-1],["b",-1],["ab",-3]])")), "ab") ==
        Ids{1, 2});
}

TEST_CASE("of equal sums the way that was found first wins") {
  // At the end: "ab" from 0 was offered before "b" from 1.
  CHECK(Encode(*FromJson(UnigramJson(R"([["u",0],["a",-1],["b",-1],["ab",-2]])")), "ab") == Ids{3});
}

TEST_CASE("neighbouring unknown characters are one unknown token, or bytes") {
  const auto tokenizer = FromJson(UnigramJson(kPieces));
  CHECK(Encode(*tokenizer, "xyabzé") == Ids{0, 6, 0});
  const std::string vocab = R"([["<unk>",0],["a",0],["<0xC3>",-1],["<0xA9>",-1]])";
  const auto bytes = FromJson(UnigramJson(vocab, R"("unk_id":0,"byte_fallback":true,)"));
  CHECK(Encode(*bytes, "aéa") == Ids{1, 2, 3, 1});
  CHECK(Encode(*bytes, "aéö") == Ids{1, 0});  // one run, and <0xB6> is missing
}

TEST_CASE("the unknown token in the text is unknown text") {
  CHECK(Encode(*FromJson(UnigramJson(R"([["<u>",0],["a",0]])")), "<u>xa") == Ids{0, 1});
}

TEST_CASE("without an unknown token an unknown character is an error of the text") {
  const auto tokenizer = FromJson(UnigramJson(kPieces, ""));
  CHECK(Encode(*tokenizer, "ab") == Ids{6});
  const auto ids = tokenizer->Encode("axb", {});
  REQUIRE_FALSE(ids.ok());
  CHECK(ids.error().message ==
        "a character of the text is not a token, and the tokenizer has no unknown token");
}

TEST_CASE("the model's kind is told by its members in files without a type") {
  CHECK(FromJson(R"({"model":{"unk_id":0,"vocab":[["a",0]]}})")->Description() ==
        "Unigram, 1 tokens");
  CHECK(FromJson(R"({"model":{"unk_token":"u","vocab":{"u":0}}})")->Description() ==
        "WordLevel, 1 tokens");
  CHECK(FromJson(R"({"model":{"unk_token":"u","continuing_subword_prefix":"##",)"
                 R"("max_input_chars_per_word":9,"vocab":{"u":0}}})")
            ->Description() == "WordPiece, 1 tokens");
}

std::unique_ptr<Tokenizer> WordPiece(const std::string& options = "") {
  return FromJson(
      R"({"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece"},)"
      R"("model":{"type":"WordPiece","unk_token":"[UNK]",)" +
      options +
      R"("vocab":{"[UNK]":0,"un":1,"##aff":2,"##able":3,"una":4,"##ffable":5,"a":6,"##a":7,)"
      R"("aa":8,"é":9,"##é":10}}})");
}

TEST_CASE("WordPiece takes the longest token at each place, or the word is unknown") {
  const auto tokenizer = WordPiece();
  CHECK(Encode(*tokenizer, "unaffable") == Ids{4, 5});
  CHECK(Encode(*tokenizer, "unable aaa") == Ids{0, 8, 7});  // "una" leaves "ble"
  CHECK(Encode(*tokenizer, "éé a") == Ids{9, 10, 6});
  CHECK(Encode(*tokenizer, "axa") == Ids{0});
  CHECK(tokenizer->Decode(Ids{4, 5, 6}, false) == "unaffable a");
}

TEST_CASE("a word of more characters than the limit is unknown") {
  CHECK(Encode(*WordPiece(R"("max_input_chars_per_word":2,)"), "éé aaa") == Ids{9, 10, 0});
  CHECK(Encode(*WordPiece(), std::string(100, 'a')).size() == 99);
  CHECK(Encode(*WordPiece(), std::string(101, 'a')) == Ids{0});
}

TEST_CASE("another prefix may continue words, or none") {
  CHECK(Encode(*WordPiece(R"("continuing_subword_prefix":"",)"), "unaa") == Ids{4, 6});
  CHECK(Encode(*WordPiece(R"("continuing_subword_prefix":"@@",)"), "unaa") == Ids{0});
}

TEST_CASE("WordLevel looks words up") {
  const auto tokenizer = FromJson(
      R"({"pre_tokenizer":{"type":"Whitespace"},"model":{"type":"WordLevel","unk_token":"u",)"
      R"("vocab":{"u":0,"the":1,"fox":2}}})");
  CHECK(Encode(*tokenizer, "the red fox") == Ids{1, 0, 2});
  const auto strict =
      FromJson(R"({"model":{"type":"WordLevel","unk_token":"none","vocab":{"the":1}}})");
  CHECK(Encode(*strict, "the") == Ids{1});
  const auto ids = strict->Encode("fox", {});
  REQUIRE_FALSE(ids.ok());
  CHECK(ids.error().message ==
        "the word \"fox\" is unknown, and the unknown token \"none\" is not in the vocabulary");
}

std::string Streamed(const Tokenizer& tokenizer, const Ids& ids) {
  IncrementalDetokenizer stream(tokenizer, {}, false);
  std::string out;
  for (const TokenId id : ids) out += stream.Append(id);
  return out + stream.Finish();
}

TEST_CASE("decoders of words give the same text token by token") {
  const auto words = WordPiece();
  for (const Ids& ids : {Ids{4, 5, 6}, Ids{5, 5}, Ids{}, Ids{6, 6, 10}}) {
    CHECK(Streamed(*words, ids) == words->Decode(ids, false));
  }
  const auto ctc =
      FromJson(R"({"decoder":{"type":"CTC"},"model":{"type":"WordLevel","unk_token":"<pad>",)"
               R"("vocab":{"<pad>":0,"a":1,"b":2,"|":3}}})");
  const Ids ids = {0, 1, 1, 99, 1, 0, 1, 3, 3, 2};
  CHECK(ctc->Decode(ids, false) == "aa b");
  CHECK(Streamed(*ctc, ids) == "aa b");
}

}  // namespace
}  // namespace sglrun::tokenizer
