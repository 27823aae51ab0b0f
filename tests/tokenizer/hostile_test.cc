// Files that strangers write: a sentence each, and never a crash.
#include <string>

#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

std::string Model(const std::string& body) {
  return R"({"model":{"type":"BPE",)" + body + "}}";
}

TEST_CASE("each fault of a file has its sentence") {
  CHECK(Refusal("").starts_with("tokenizer.json: byte 0: "));
  CHECK(Refusal("[]") == "tokenizer.json: the file is [], must be an object");
  CHECK(Refusal("{}") == "tokenizer.json: model is missing");
  CHECK(Refusal(R"({"model":{"type":"Foo"}})") ==
        "tokenizer.json: model.type is \"Foo\", supported are BPE, Unigram, WordPiece and "
        "WordLevel");
  CHECK(Refusal(R"({"model":{"vocab":{}}})") == "tokenizer.json: model.type is missing");
  CHECK(Refusal(Model(R"("vocab":[],"merges":[])")) ==
        "tokenizer.json: model.vocab is [], must be an object");
  CHECK(Refusal(Model(R"("vocab":{"a":"0"},"merges":[])")) ==
        "tokenizer.json: model.vocab[\"a\"] is \"0\", must be an integer");
  CHECK(Refusal(Model(R"("vocab":{"a":-1},"merges":[])")) ==
        "tokenizer.json: model.vocab: token \"a\" has id -1, must be from 0 to 4194303");
  CHECK(Refusal(Model(R"("vocab":{"a":9007199254740993},"merges":[])"))
            .find("must be from 0 to 4194303") != std::string::npos);
  CHECK(Refusal(Model(R"("vocab":{"a":1e300},"merges":[])")).find("must be an integer") !=
        std::string::npos);
  CHECK(Refusal(Model(R"("vocab":{"a":0,"b":0},"merges":[])")) ==
        "tokenizer.json: model.vocab: token \"b\" has id 0, which belongs to token \"a\"");
  CHECK(Refusal(Model(R"("vocab":{"a":0,"a":1},"merges":[])")) ==
        "tokenizer.json: the key \"a\" occurs twice in an object");
  CHECK(Refusal(Model(R"("vocab":{"a":0})")) == "tokenizer.json: model.merges is missing");
  CHECK(Refusal(Model(R"("dropout":0.1,"vocab":{},"merges":[])")) ==
        "tokenizer.json: model.dropout is 0.1, must be null or 0: encoding at random is not "
        "supported");
  CHECK(Refusal(Model(R"("unk_token":"x","vocab":{},"merges":[])")) ==
        "tokenizer.json: model.unk_token is \"x\", must be a token of the vocabulary");
}

TEST_CASE("a merge that does not resolve is refused, never skipped") {
  const auto refuse = [](const std::string& merge) {
    return Refusal(Model(R"("vocab":{"a":0,"b":1},"merges":[)" + merge + "]"));
  };
  CHECK(refuse("\"a b\"") ==
        "tokenizer.json: merge 0 (\"a\" and \"b\"): the result \"ab\" is not "
        "in the vocabulary");
  CHECK(refuse("\"c b\"").find("the left part") != std::string::npos);
  CHECK(refuse("\"a c\"").find("the right part") != std::string::npos);
  for (const char* merge : {"\"ab\"", "\"a b c\"", "[\"a\"]", "[\"a\",1]", "7", "null", "{}"}) {
    CAPTURE(merge);
    CHECK(refuse(merge).find("must be \"left right\" or [\"left\", \"right\"]") !=
          std::string::npos);
  }
}

TEST_CASE("added tokens must agree with the vocabulary") {
  const auto refuse = [](const std::string& token) {
    return Refusal(BpeJson({"a", "b"}, {}, "", "\"added_tokens\":[" + token + "],"));
  };
  CHECK(refuse(R"({"id":1,"content":"a"})") ==
        "tokenizer.json: added_tokens: token \"a\" has id 1, which belongs to token \"b\"");
  CHECK(refuse(R"({"id":9,"content":"a"})") ==
        "tokenizer.json: added_tokens: token \"a\" has two ids, 0 and 9");
  CHECK(refuse(R"({"content":"c"})") == "tokenizer.json: added_tokens[0].id is missing");
  CHECK(refuse(R"({"id":1e9,"content":"c"})") ==
        "tokenizer.json: added_tokens[0].id is 1e+09, must be an integer");
}

TEST_CASE("components of the wrong kind or shape are refused") {
  const auto refuse = [](const std::string& parts) {
    return Refusal(BpeJson({"a"}, {}, "", parts));
  };
  CHECK(refuse("\"normalizer\":7,") == "tokenizer.json: normalizer is 7, must be an object");
  CHECK(refuse("\"decoder\":{},") == "tokenizer.json: decoder.type is missing");
  CHECK(refuse(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"},)")
            .starts_with(
                "tokenizer.json: pre_tokenizer.pattern.Regex: the pattern does not compile"));
  CHECK(refuse(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"a"},"behavior":"Foo"},)")
            .find("supported are Removed, Isolated") != std::string::npos);
  CHECK(refuse(R"("pre_tokenizer":{"type":"Metaspace","replacement":"ab"},)")
            .find("must be one character") != std::string::npos);
  CHECK(refuse(R"("pre_tokenizer":{"type":"Metaspace","replacement":"a","prepend_scheme":"x"},)")
            .find("must be \"always\", \"first\" or \"never\"") != std::string::npos);
  CHECK(refuse(R"("decoder":{"type":"Strip","content":"a","start":-1,"stop":0},)")
            .find("must be 0 or more") != std::string::npos);
}

TEST_CASE("normalizers and pre-tokenizers with impossible values are refused") {
  const auto refuse = [](const std::string& parts) {
    return Refusal(BpeJson({"a"}, {}, "", parts));
  };
  CHECK(refuse(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"?"},)") ==
        "tokenizer.json: normalizer.precompiled_charsmap is \"?\", must be base64");
  CHECK(refuse(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"AAA="},)") ==
        "tokenizer.json: normalizer.precompiled_charsmap: the character map has 2 bytes, must have "
        "at least 4");
  CHECK(refuse(R"("pre_tokenizer":{"type":"FixedLength","length":0},)") ==
        "tokenizer.json: pre_tokenizer.length is 0, must be 1 or more");
  CHECK(refuse(R"("decoder":{"type":"CTC","pad_token":""},)") ==
        "tokenizer.json: decoder.pad_token is \"\", must be a string that is not empty");
}

TEST_CASE("Unigram refuses scores and ids that cannot be") {
  const auto refuse = [](const std::string& body) {
    return Refusal(R"({"model":{"type":"Unigram",)" + body + "}}");
  };
  CHECK(refuse(R"("vocab":{})") == "tokenizer.json: model.vocab is {}, must be an array");
  for (const char* entry : {"7", "[]", R"(["a"])", R"([1,2])", R"(["a",1,2])"}) {
    CAPTURE(entry);
    CHECK(refuse(R"("vocab":[)" + std::string(entry) + "]").find("must be [\"piece\", score]") !=
          std::string::npos);
  }
  CHECK(refuse(R"("vocab":[["a","b"]])") ==
        "tokenizer.json: model.vocab[0][1] is \"b\", must be a number");
  CHECK_FALSE(TokenizerFromJson(R"({"model":{"type":"Unigram","vocab":[["a",1e999]]}})", {}).ok());
  CHECK(refuse(R"("unk_id":1,"vocab":[["a",0]])") ==
        "tokenizer.json: model.unk_id is 1, must be the id of a token");
  CHECK(refuse(R"("unk_id":-1,"vocab":[["a",0]])").find("must be the id of a token") !=
        std::string::npos);
  CHECK(refuse(R"("vocab":[["a",0],["a",1]])") ==
        "tokenizer.json: model.vocab: token \"a\" has two ids, 0 and 1");
}

TEST_CASE("deep nesting is refused or survived") {
  std::string deep = "null";
  for (int i = 0; i < 100; ++i) {
    deep = R"({"type":"Sequence","normalizers":[)" + (deep == "null" ? "" : deep) + "]}";
  }
  CHECK(Encode(*FromJson(BpeJson({"a"}, {}, "", "\"normalizer\":" + deep + ",")), "a") == Ids{0});
  const std::string brackets(100000, '[');
  CHECK(Refusal(brackets).find("nested deeper") != std::string::npos);
}

TEST_CASE("a file cut anywhere is refused") {
  const std::string whole =
      BpeJson({"a", "b", "ab"}, {"a b"}, "", R"("decoder":{"type":"ByteLevel"},)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(TokenizerFromJson(whole.substr(0, size), {}).ok());
  }
}

TEST_CASE("long runs take linear time and give what short ones do") {
  const auto byte_level =
      FromJson(BpeJson({"a", "aa", "aaaa", "b"}, {"a a", "aa aa"}, "",
                       R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"));
  CHECK(Encode(*byte_level, std::string(400000, 'a')) == Ids(100000, 2));
  const auto one_word = FromJson(BpeJson({"▁", "▁▁", "a"}, {"▁ ▁"}, R"("unk_token":"a",)",
                                         R"("normalizer":{"type":"Replace","pattern":)"
                                         R"({"String":" "},"content":"▁"},)"));
  CHECK(Encode(*one_word, std::string(200000, ' ')) == Ids(100000, 1));
  const auto unigram = FromJson(
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["u",-9],["a",-1],["aa",-1.5]]}})");
  CHECK(Encode(*unigram, std::string(400000, 'a')) == Ids(200000, 2));
}

}  // namespace
}  // namespace sglrun::tokenizer
