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
  CHECK(LoadRefusal(folder.path()).find("holds neither tokenizer.json nor tokenizer.model") !=
        std::string::npos);
  folder.Write("merges.txt", "");
  CHECK(LoadRefusal(folder.path()).find("save_pretrained") != std::string::npos);
  folder.Write("tokenizer.model", "IQ== 0\nIg== 1\n");
  CHECK(LoadRefusal(folder.path()).find("is a tiktoken vocabulary") != std::string::npos);
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

}  // namespace
}  // namespace sglrun::tokenizer
