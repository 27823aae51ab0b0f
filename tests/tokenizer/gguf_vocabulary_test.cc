#include <limits>

#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

GgufVocabulary ByteLevelVocabulary() {
  GgufVocabulary gguf;
  gguf.model = "gpt2";
  gguf.pre = "smollm";
  gguf.tokens = {"<|end|>", "a", "b", "1", "2", "Ġ", "ab", "Ġab", "12", "<tool>", "[PAD10]"};
  gguf.token_types = {3, 1, 1, 1, 1, 1, 1, 1, 1, 4, 5};
  gguf.merges = {"a b", "Ġ ab", "1 2"};
  gguf.eos_id = 0;
  return gguf;
}

std::unique_ptr<Tokenizer> Make(GgufVocabulary gguf) {
  auto tokenizer = Tokenizer::FromGguf(std::move(gguf));
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer.ok() ? "" : tokenizer.error().message));
  return std::move(tokenizer).value();
}

std::string RefusalOf(GgufVocabulary gguf) {
  auto tokenizer = Tokenizer::FromGguf(std::move(gguf));
  REQUIRE_FALSE(tokenizer.ok());
  return tokenizer.error().message;
}

TEST_CASE("a gpt2 vocabulary is byte-level BPE with the pattern its pre names") {
  const auto tokenizer = Make(ByteLevelVocabulary());
  // smollm: each digit stands alone, so "1 2" never merges.
  CHECK(Encode(*tokenizer, "ab ab12<|end|><tool>") == Ids{6, 7, 3, 4, 0, 9});
  CHECK(tokenizer->Decode(Ids{6, 7, 0, 9}, true) == "ab ab<tool>");
  CHECK(tokenizer->StopIds() == Ids{0});
  GgufVocabulary gpt2 = ByteLevelVocabulary();
  gpt2.pre = "gpt-2";
  CHECK(Encode(*Make(std::move(gpt2)), "ab12") == Ids{6, 8});
}

TEST_CASE("a GGUF vocabulary that cannot be read says what to do") {
  GgufVocabulary gguf = ByteLevelVocabulary();
  gguf.pre = "";
  CHECK(RefusalOf(gguf).starts_with("tokenizer.ggml.pre is missing: "));
  CHECK(RefusalOf(gguf).ends_with("with --tokenizer"));
  gguf.model = "bert";
  CHECK(
      RefusalOf(gguf).starts_with("tokenizer.ggml.model is \"bert\" (WordPiece), supported are "));
  CHECK(RefusalOf(gguf).ends_with("with --tokenizer"));
  gguf.model = "t5";
  CHECK(RefusalOf(gguf).starts_with("tokenizer.ggml.model is \"t5\" (Unigram), supported are "));
  gguf.model = "";
  CHECK(RefusalOf(gguf).starts_with("tokenizer.ggml.model is missing, supported are "));
}

TEST_CASE("the pre that converters write by default cuts punctuation and digits apart") {
  GgufVocabulary gguf = ByteLevelVocabulary();
  gguf.pre = "default";
  CHECK(Encode(*Make(gguf), "ab ab12") == Ids{6, 7, 8});
}

TEST_CASE("entries that only pad the vocabulary are no tokens") {
  const auto tokenizer = Make(ByteLevelVocabulary());
  CHECK(tokenizer->vocab_size() == 10);
  CHECK_FALSE(tokenizer->IsToken(10));
}

TEST_CASE("every known pre compiles, llama-bpe adds BOS and takes whole words, qwen2 composes") {
  for (const char* pre : {"gpt-2",
                          "phi-2",
                          "mpt",
                          "olmo",
                          "llama-bpe",
                          "llama-v3",
                          "llama3",
                          "falcon3",
                          "falcon-h1",
                          "pixtral",
                          "lfm2",
                          "dbrx",
                          "smaug-bpe",
                          "glm4",
                          "qwen2",
                          "chatglm-bpe",
                          "deepseek-r1-qwen",
                          "stablelm2",
                          "grok-2",
                          "qwen35",
                          "gpt-4o",
                          "llama4",
                          "tekken",
                          "smollm",
                          "starcoder",
                          "refact",
                          "codeshell",
                          "command-r",
                          "falcon",
                          "deepseek-llm",
                          "deepseek-v3",
                          "seed-coder",
                          "bloom",
                          "deepseek-coder",
                          "bailingmoe",
                          "viking"}) {
    CAPTURE(pre);
    GgufVocabulary gguf = ByteLevelVocabulary();
    gguf.pre = pre;
    gguf.bos_id = 0;
    CHECK(Encode(*Make(std::move(gguf)), "ab", {.add_special_tokens = false}) == Ids{6});
  }
  GgufVocabulary llama = ByteLevelVocabulary();
  llama.pre = "llama-bpe";
  llama.bos_id = 0;
  llama.merges = {};
  CHECK(Encode(*Make(std::move(llama)), "ab") == Ids{0, 6});
  GgufVocabulary qwen = ByteLevelVocabulary();
  qwen.pre = "qwen2";
  qwen.tokens[1] = "Ã";
  qwen.tokens[2] = "©";
  qwen.tokens[6] = "Ã©";
  qwen.tokens[7] = "ĠÃ©";
  qwen.merges = {"Ã ©"};
  CHECK(Encode(*Make(std::move(qwen)), "e\u0301") == Ids{6});
}

GgufVocabulary SentencePieceVocabulary() {
  GgufVocabulary gguf;
  gguf.model = "llama";
  gguf.tokens = {"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "▁", "a", "b", "▁a", "ab", "▁ab"};
  gguf.scores = {0, 0, 0, 0, 0, -5, -6, -7, -2, -1, -3};
  gguf.token_types = {2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1};
  return gguf;
}

TEST_CASE("a llama vocabulary joins the pieces of the highest score") {
  const auto tokenizer = Make(SentencePieceVocabulary());
  CHECK(Encode(*tokenizer, "ab") == Ids{1, 10});  // ▁ ab, then ▁ab
  CHECK(Encode(*tokenizer, "a b") == Ids{1, 8, 5, 7});
  CHECK(Encode(*tokenizer, "é") == Ids{1, 5, 3, 4});
  CHECK(Encode(*tokenizer, "中") == Ids{1, 5, 0});  // its bytes are missing
  CHECK(Encode(*tokenizer, "ab</s>a") == Ids{1, 10, 2, 8});
  CHECK(tokenizer->Decode(Ids{1, 10, 8}, true) == "ab a");
  CHECK(tokenizer->eos_id() == 2);
}

TEST_CASE("equal scores merge the leftmost pair first") {
  GgufVocabulary gguf = SentencePieceVocabulary();
  gguf.add_space_prefix = false;
  gguf.add_bos = false;
  gguf.tokens.insert(gguf.tokens.end(), {"aa", "ba"});
  gguf.scores.insert(gguf.scores.end(), {-1, -1});
  gguf.token_types.insert(gguf.token_types.end(), {1, 1});
  const auto tokenizer = Make(std::move(gguf));
  CHECK(Encode(*tokenizer, "aba") == Ids{9, 6});
  CHECK(Encode(*tokenizer, "baa") == Ids{12, 6});
  CHECK(tokenizer->Decode(Ids{8}, false) == " a");
}

TEST_CASE("a gemma4 vocabulary writes spaces as U+2581 and merges by rank") {
  GgufVocabulary gguf;
  gguf.model = "gemma4";
  gguf.tokens = {"<pad>", "<eos>", "<bos>", "<unk>", "▁", "a", "b", "▁a", "ab", "<0xC3>", "<0xA9>"};
  gguf.token_types = {3, 3, 3, 2, 1, 1, 1, 1, 1, 6, 6};
  gguf.merges = {"a b", "▁ a"};
  gguf.bos_id = 2;
  gguf.unk_id = 3;
  const auto tokenizer = Make(gguf);
  CHECK(Encode(*tokenizer, "ab a ab") == Ids{2, 8, 7, 4, 8});
  CHECK(Encode(*tokenizer, "é中<eos>") == Ids{2, 9, 10, 3, 1});
  CHECK(tokenizer->Decode(Ids{7, 8, 9, 10}, false) == " aabé");
  gguf.merges.push_back("b a");
  CHECK(RefusalOf(gguf).find("the result \"ba\"") != std::string::npos);
}

TEST_CASE("missing parts of a GGUF vocabulary are named") {
  GgufVocabulary gguf = ByteLevelVocabulary();
  gguf.pre = "kimi-k0";
  CHECK(RefusalOf(gguf).starts_with(
      "tokenizer.ggml.pre is \"kimi-k0\", supported are default, gpt-2, phi-2"));
  gguf = ByteLevelVocabulary();
  gguf.merges.push_back("a 1");
  CHECK(RefusalOf(gguf).find("the result \"a1\"") != std::string::npos);
  gguf = ByteLevelVocabulary();
  gguf.tokens[1] = "b";
  CHECK(RefusalOf(gguf).find("has two ids") != std::string::npos);
  gguf = ByteLevelVocabulary();
  gguf.token_types.pop_back();
  CHECK(RefusalOf(gguf) == "tokenizer.ggml.token_type has 10 entries, tokenizer.ggml.tokens 11");
  gguf = ByteLevelVocabulary();
  gguf.eos_id = 77;
  CHECK(RefusalOf(gguf) == "tokenizer.ggml.eos_token_id is 77, which is not a token");
  gguf = ByteLevelVocabulary();
  gguf.add_bos = true;
  CHECK(RefusalOf(gguf) == "tokenizer.ggml.add_bos_token is true without a bos_token_id");
  gguf = SentencePieceVocabulary();
  gguf.scores.pop_back();
  CHECK(RefusalOf(gguf) == "tokenizer.ggml.scores has 10 entries, tokenizer.ggml.tokens 11");
  gguf = SentencePieceVocabulary();
  gguf.scores[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(RefusalOf(gguf) == "tokenizer.ggml.scores holds a number that is not finite");
  CHECK(RefusalOf({}) == "tokenizer.ggml.tokens is empty");
}

}  // namespace
}  // namespace sglrun::tokenizer
