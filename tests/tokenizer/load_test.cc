#include <filesystem>
#include <fstream>

#include "base/mapped_file.h"
#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

// A folder that vanishes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tokenizer-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<Tokenizer> Load(const std::string& path) {
  auto tokenizer = Tokenizer::Load(path);
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer.ok() ? "" : tokenizer.error().message));
  return std::move(tokenizer).value();
}

std::string LoadRefusal(const std::string& path) {
  auto tokenizer = Tokenizer::Load(path);
  REQUIRE_FALSE(tokenizer.ok());
  return tokenizer.error().message;
}

const std::string kTokenizer = BpeJson({"a", "b"}, {}, "",
                                       R"("added_tokens":[{"id":2,"content":"<s>","special":true},
                                          {"id":3,"content":"</s>","special":true}],)");

TEST_CASE("special tokens are strings or objects, and older files fill the gaps") {
  Folder folder;
  folder.Write("tokenizer.json", kTokenizer);
  folder.Write("tokenizer_config.json",
               R"({"bos_token":{"content":"<s>","lstrip":false},"eos_token":null,
                   "chat_template":[{"name":"tool_use","template":"t"},
                                    {"name":"default","template":"d"}]})");
  folder.Write("special_tokens_map.json", R"({"bos_token":"b","eos_token":"</s>"})");
  const auto tokenizer = Load(folder.path());
  CHECK(tokenizer->bos_id() == 2);
  CHECK(tokenizer->eos_id() == 3);
  CHECK(tokenizer->chat_template() == "d");
  folder.Write("chat_template.jinja", "{{ x }}");
  CHECK(Load(folder.path() + "/tokenizer.json")->chat_template() == "{{ x }}");
}

TEST_CASE("a directory without a tokenizer, and files of other kinds, are refused in words") {
  Folder folder;
  CHECK(LoadRefusal(folder.path()) ==
        folder.path() +
            " holds none of tokenizer.json, tokenizer.model, tekken.json, tiktoken.model, "
            "vocab.json with merges.txt, and a .tiktoken file");
  folder.Write("tokenizer.model", "no protobuf at all");
  CHECK(LoadRefusal(folder.path()).find("SentencePiece") != std::string::npos);
  folder.Write("tokenizer.model", "");
  CHECK_FALSE(Tokenizer::Load(folder.path()).ok());
  CHECK_FALSE(Tokenizer::Load(folder.path() + "/nothing").ok());
  folder.Write("tokenizer.json", kTokenizer);
  folder.Write("tokenizer_config.json", R"({"bos_token":7})");
  CHECK(LoadRefusal(folder.path()).find("bos_token is 7, must be a string") != std::string::npos);
}

class SentencePieceFolder : public Folder {
 public:
  explicit SentencePieceFolder(std::string_view config = "") {
    auto model = ReadFile(SGLRUN_SOURCE_DIR "/tests/data/tokenizer_spm.model");
    REQUIRE(model.ok());
    Write("tokenizer.model", *model);
    if (!config.empty()) Write("tokenizer_config.json", config);
  }
};

TEST_CASE("what a failed download left in the place of a tokenizer is named") {
  for (const char* name : {"tokenizer.json", "tokenizer.model", "tekken.json", "tiktoken.model"}) {
    CAPTURE(name);
    Folder folder;
    folder.Write(name, "");
    CHECK(LoadRefusal(folder.path()) == folder.path() + "/" + name + " is empty");
    folder.Write(name, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
    CHECK(LoadRefusal(folder.path()).find(" is a pointer of Git LFS") != std::string::npos);
    folder.Write(name, "\n<!DOCTYPE html><html></html>");
    CHECK(LoadRefusal(folder.path()).find(" is a web page") != std::string::npos);
  }
  // A file of JSON is read as JSON, whatever it begins with.
  Folder folder;
  for (const char* text : {"[1]", "null", "Entry not found", " "}) {
    CAPTURE(text);
    folder.Write("tokenizer.json", text);
    const std::string refusal = LoadRefusal(folder.path());
    CHECK(refusal.find("tokenizer.json") != std::string::npos);
    CHECK(refusal.find("SentencePiece") == std::string::npos);
  }
}

TEST_CASE("legacy files put a space behind every special token, others at the start only") {
  const auto legacy = Load(SentencePieceFolder().path());
  const auto modern = Load(SentencePieceFolder(R"({"legacy":false})").path());
  const auto first_of = [](const Tokenizer& tokenizer, const char* text, std::size_t at) {
    return tokenizer.TokenName(Encode(tokenizer, text).at(at));
  };
  CHECK(first_of(*legacy, "the", 0) == "<s>");
  CHECK(first_of(*legacy, "the", 1) == "▁the");
  CHECK(first_of(*modern, "the", 1) == "▁the");
  CHECK(first_of(*legacy, "</s>the", 2) == "▁the");
  CHECK(first_of(*modern, "</s>the", 2) != "▁the");
  CHECK(legacy->Decode(Encode(*legacy, "the fox"), true) == "the fox");
}

TEST_CASE("the configuration says which ends a SentencePiece text gets and what was added") {
  const auto tokenizer = Load(SentencePieceFolder(R"({"add_bos_token":false,"add_eos_token":true,
      "added_tokens_decoder":{"700":{"content":"<|im_end|>","special":true}}})")
                                  .path());
  const Ids ids = Encode(*tokenizer, "<|im_end|>");
  CHECK(ids == Ids{700, *tokenizer->eos_id()});
  CHECK(tokenizer->vocab_size() == 701);
  CHECK(tokenizer->Decode(ids, true).empty());
  CHECK(tokenizer->Description() == "SentencePiece, 701 tokens");
}

TEST_CASE("a SentencePiece file cut anywhere is refused or read, never a crash") {
  auto model = ReadFile(SGLRUN_SOURCE_DIR "/tests/data/tokenizer_spm.model");
  REQUIRE(model.ok());
  Folder folder;
  for (std::size_t size = 0; size < model->size(); size += 509) {
    folder.Write("tokenizer.model", std::string_view(*model).substr(0, size));
    static_cast<void>(Tokenizer::Load(folder.path()));
  }
}

// The 256 bytes in order, then `more`, as lines of a tiktoken file.
std::string TiktokenLines(const std::string& more) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (int byte = 0; byte < 256; ++byte) {
    out.push_back(kDigits[byte >> 2]);
    out.push_back(kDigits[(byte & 3) << 4]);
    out += "== " + std::to_string(byte) + "\n";
  }
  return out + more;
}

// ab = 256, bc = 257, abc = 258.
const char* const kMore = "YWI= 256\nYmM= 257\nYWJj 258\n";

TEST_CASE("a tiktoken file merges by rank; its family gives pattern and special tokens") {
  Folder folder;
  folder.Write("tokenizer.model", TiktokenLines(kMore));
  folder.Write("config.json", R"({"model_type":"llama"})");
  const auto llama = Load(folder.path());
  CHECK(Encode(*llama, "abc") == Ids{259, 258});
  CHECK(Encode(*llama, "abcb<|eot_id|>12", {.add_special_tokens = false}) ==
        Ids{258, 'b', 268, '1', '2'});
  CHECK(llama->eos_id() == 260);
  CHECK(llama->TokenName(' ') == "Ġ");
  CHECK(llama->Decode(Ids{259, 256, ' ', 0xC3, 0xA9}, true) == "ab é");
  folder.Write("tokenizer_config.json",
               R"({"bos_token":"<s>","eos_token":"</s>","add_bos_token":false,)"
               R"("added_tokens_decoder":{"300":{"content":"</s>","special":true}}})");
  const auto configured = Load(folder.path());
  CHECK(Encode(*configured, "b</s><s>") == Ids{'b', 300, 301});  // <s> gets the next id
}

TEST_CASE("a .tiktoken file of Qwen composes characters and has extra tokens") {
  Folder folder;
  folder.Write("qwen.tiktoken", TiktokenLines("w6k= 256\n"));
  folder.Write("config.json", R"({"model_type":"qwen"})");
  const auto qwen = Load(folder.path());
  CHECK(Encode(*qwen, "e\u0301<|im_end|><|extra_204|>") == Ids{256, 259, 464});
  CHECK(qwen->vocab_size() == 465);
}

// openai_public.py of tiktoken: 100,256 ranks, <|endoftext|> 100257, <|endofprompt|> 100276.
TEST_CASE("a cl100k_base file has its special tokens behind its ranks, and no ends of a text") {
  Folder folder;
  folder.Write("cl100k_base.tiktoken", TiktokenLines(kMore));
  const auto cl100k = Load(folder.path() + "/cl100k_base.tiktoken");
  CHECK(Encode(*cl100k, "abc<|endoftext|><|fim_suffix|><|endofprompt|>") ==
        Ids{258, 260, 263, 279});
  CHECK(cl100k->eos_id() == 260);
}

// tokenization_kimi.py: 258 ids after the ranks, those without a name are reserved.
TEST_CASE("a tiktoken.model of Kimi keeps Chinese characters apart and reserves ids") {
  Folder folder;
  // "c" and the first byte of a Chinese character, two such characters, "b" and a digit.
  folder.Write("tiktoken.model",
               TiktokenLines("Y+Q= 256\n5L2g 257\n5L2g5aW9 258\n5aW9 259\nYjE= 260\nJ3M= 261\n"
                             "Yidz 262\n"));
  folder.Write("config.json", R"({"model_type":"kimi_k2"})");
  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class":"TikTokenTokenizer","bos_token":"[BOS]","eos_token":"[EOS]",)"
               R"("added_tokens_decoder":{"263":{"content":"[BOS]","special":true},)"
               R"("264":{"content":"[EOS]","special":true},)"
               R"("270":{"content":"<|im_end|>","special":true}}})");
  const auto kimi = Load(folder.path());
  CHECK(Encode(*kimi, "c你好b1") == Ids{'c', 258, 'b', '1'});
  CHECK(Encode(*kimi, "b's<|im_end|><|reserved_token_265|>") == Ids{262, 270, 265});
  CHECK(kimi->eos_id() == 264);
  CHECK(kimi->vocab_size() == 263 + 258);
  CHECK(kimi->TokenName(520) == "<|reserved_token_520|>");
  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"OtherTokenizer"})");
  CHECK(LoadRefusal(folder.path()).find("model_type \"kimi_k2\" is not known") !=
        std::string::npos);
}

TEST_CASE("a tiktoken file of an unknown family, or with a fault, is refused") {
  Folder folder;
  folder.Write("x.tiktoken", TiktokenLines(""));
  CHECK(LoadRefusal(folder.path()).find("model_type \"\" is not known; known are llama, llama4") !=
        std::string::npos);
  folder.Write("config.json", R"({"model_type":"llama4"})");
  CHECK(LoadRefusal(folder.path()).find("added_tokens_decoder is needed") != std::string::npos);
  folder.Write("config.json", R"({"model_type":"llama"})");
  const auto refuse = [&](const std::string& more) {
    folder.Write("x.tiktoken", TiktokenLines(more));
    return LoadRefusal(folder.path()).substr((folder.path() + "/x.tiktoken: ").size());
  };
  CHECK(refuse("YWI 256\n") == "line 257 is \"YWI 256\", must be base64, a space and a rank");
  for (const char* line : {"YWI=256", "YWI= ", "YWI= x", "YWI= 256 7", "YWI= -1x"}) {
    CAPTURE(line);
    CHECK(refuse(line).find("must be base64, a space and a rank") != std::string::npos);
  }
  CHECK(refuse("YWI= -1").find("has id -1, must be from 0") != std::string::npos);
  CHECK(refuse("YWI= 9223372036854775807").find("must be from 0") != std::string::npos);
  CHECK(refuse("YWI= 99999999999999999999").find("must be base64") != std::string::npos);
  CHECK(refuse("YWI= 7").find("has id 7, which belongs to") != std::string::npos);
  CHECK(refuse("YQ== 256").find("has two ids") != std::string::npos);
  CHECK(refuse(" 256").find("the token of rank 256 is empty") != std::string::npos);
  folder.Write("x.tiktoken", "no base64");
  CHECK(LoadRefusal(folder.path()).find("line 1 is \"no base64\"") != std::string::npos);
  folder.Write("x.tiktoken", "YQ== 0\n");
  CHECK(LoadRefusal(folder.path()).find("no token represents the byte <0x00>") !=
        std::string::npos);
  folder.Write("y.tiktoken", "");
  CHECK(LoadRefusal(folder.path()).find("holds several .tiktoken files") != std::string::npos);
}

// The same vocabulary as tekken.json, with one entry of padding at the end.
std::string TekkenJson(const std::string& config, const std::string& special = "") {
  std::string vocab;
  const std::string lines = TiktokenLines(std::string(kMore) + "eHg= 259\n");
  for (std::size_t pos = 0; pos < lines.size();) {
    const std::size_t space = lines.find(' ', pos);
    const std::size_t end = lines.find('\n', pos);
    vocab += (vocab.empty() ? "" : ",") + std::string(R"({"rank":)") +
             lines.substr(space + 1, end - space - 1) + R"(,"token_bytes":")" +
             lines.substr(pos, space - pos) + "\"}";
    pos = end + 1;
  }
  return R"({"config":{"pattern":"[a-z]+|\\s|.")" + config + "}," + special + R"("vocab":[)" +
         vocab + "]}";
}

TEST_CASE("tekken.json puts special tokens first and leaves padding out") {
  Folder folder;
  folder.Write("tekken.json",
               TekkenJson(R"(,"default_vocab_size":264,"default_num_special_tokens":5)",
                          R"("special_tokens":[{"rank":1,"token_str":"<s>"},
                             {"rank":0,"token_str":"<unk>"},{"rank":2,"token_str":"</s>"}],)"));
  const auto tokenizer = Load(folder.path());
  CHECK(Encode(*tokenizer, "abc ab</s><SPECIAL_4>") == Ids{1, 263, 5 + ' ', 261, 2, 4});
  CHECK(tokenizer->vocab_size() == 264);
  CHECK(tokenizer->eos_id() == 2);
  CHECK(tokenizer->Decode(Ids{1, 263, 2}, true) == "abc");
}

TEST_CASE("a tekken.json without special tokens has those of the first releases") {
  Folder folder;
  folder.Write("tekken.json", TekkenJson(R"(,"default_num_special_tokens":100)"));
  const auto tokenizer = Load(folder.path() + "/tekken.json");
  CHECK(tokenizer->Find("[INST]") == 3);
  CHECK(tokenizer->Find("[TOOL_CONTENT]") == 19);
  CHECK(tokenizer->Find("<SPECIAL_20>") == 20);
  CHECK(Encode(*tokenizer, "xx") == Ids{1, 359});
}

TEST_CASE("a tekken.json with a fault is refused") {
  Folder folder;
  const auto refuse = [&](const std::string& text) {
    folder.Write("tekken.json", text);
    return LoadRefusal(folder.path()).substr((folder.path() + "/tekken.json: ").size());
  };
  CHECK(refuse("{}") == "vocab is missing");
  CHECK(refuse("[").starts_with("tekken.json: byte 1"));
  CHECK(refuse(TekkenJson(R"(,"default_vocab_size":400)")) ==
        "config.default_vocab_size is 400, must be from 20 to 280");
  CHECK(refuse(TekkenJson(R"(,"default_num_special_tokens":3)")) ==
        "config.default_num_special_tokens is 3, must be at least 20, the number of special "
        "tokens");
  CHECK(refuse(TekkenJson(R"(,"default_num_special_tokens":1e18)"))
            .starts_with("config.default_num_special_tokens"));
  CHECK(refuse(TekkenJson("", R"("special_tokens":[{"rank":7,"token_str":"a"}],)")) ==
        "special_tokens[0].rank is 7, must be another number from 0 to 0");
  CHECK(refuse(R"({"config":{"pattern":"a"},"vocab":[{"rank":1,"token_bytes":"YQ=="}]})") ==
        "vocab[0].rank is 1, must be its place, 0");
  CHECK(refuse(R"({"config":{"pattern":"a"},"vocab":[{"rank":0,"token_bytes":"YQ"}]})") ==
        "vocab[0].token_bytes is \"YQ\", must be base64");
  CHECK(refuse(R"({"config":{"pattern":"("},"vocab":[]})").find("no token represents") !=
        std::string::npos);
}

TEST_CASE("vocab.json and merges.txt are cut as their tokenizer class does it") {
  Folder folder;
  folder.Write("vocab.json",
               R"({"a":0,"b":1,"ab":2,"Ġ":3,"Ġab":4,"1":5,"<|endoftext|>":6,"11":7})");
  folder.Write("merges.txt", "#version: 0.2\na b\nĠ ab\n1 1\n\n");
  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"GPT2TokenizerFast"})");
  const auto gpt2 = Load(folder.path());
  CHECK(Encode(*gpt2, "ab ab11<|endoftext|>") == Ids{2, 4, 7, 6});
  CHECK(gpt2->eos_id() == 6);
  CHECK(gpt2->Decode(Ids{4, 6}, true) == " ab");
  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class":"GPT2Tokenizer","add_prefix_space":true,)"
               R"("add_bos_token":true})");
  CHECK(Encode(*Load(folder.path()), "ab") == Ids{6, 4});
  folder.Write("tokenizer_config.json", "{}");
  folder.Write("config.json", R"({"model_type":"qwen3"})");
  CHECK(Encode(*Load(folder.path() + "/vocab.json"), "ab11") == Ids{2, 5, 5});
}

TEST_CASE("a vocab.json of an unknown class, or merges with a fault, are refused") {
  Folder folder;
  folder.Write("vocab.json", R"({"a":0,"b":1})");
  folder.Write("merges.txt", "#version: 0.2\na b\n");
  CHECK(LoadRefusal(folder.path()).find("the tokenizer of \"\" is not known; known are GPT2") !=
        std::string::npos);
  folder.Write("config.json", R"({"model_type":"gpt2"})");
  CHECK(LoadRefusal(folder.path())
            .find("merges.txt: line 2: merge 0 (\"a\" and \"b\"): the result") !=
        std::string::npos);
  folder.Write("merges.txt", "ab\n");
  CHECK(LoadRefusal(folder.path()).find("line 1 is \"ab\", must be two tokens") !=
        std::string::npos);
  folder.Write("merges.txt", "");
  folder.Write("vocab.json", "[]");
  CHECK(LoadRefusal(folder.path()).find("the file is [], must be an object") != std::string::npos);
  folder.Write("vocab.json", R"({"a":-3})");
  CHECK(LoadRefusal(folder.path()).find("has id -3, must be from 0") != std::string::npos);
  folder.Write("config.json", "[");
  CHECK(LoadRefusal(folder.path()).find("config.json: byte 1") != std::string::npos);
}

TEST_CASE("the files that decide the ids are named, the main one first") {
  Folder folder;
  CHECK(Tokenizer::FilesOf(folder.path()).empty());
  folder.Write("vocab.json", "{}");
  folder.Write("merges.txt", "");
  folder.Write("config.json", "{}");
  const std::string at = folder.path() + "/";
  const std::vector<std::string> files = {at + "vocab.json", at + "merges.txt", at + "config.json"};
  CHECK(Tokenizer::FilesOf(folder.path()) == files);
  folder.Write("tokenizer.json", kTokenizer);
  CHECK(Tokenizer::FilesOf(folder.path()).front() == at + "tokenizer.json");
  CHECK(Tokenizer::FilesOf(at + "vocab.json").front() == at + "vocab.json");
}

}  // namespace
}  // namespace sglrun::tokenizer
