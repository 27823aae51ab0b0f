// Prompts that begin with the tokens of the turns before them, on the sample model's tokenizer.
#include "chat/prompt_encoder.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace sglrun::chat {
namespace {

using tokenizer::TokenId;
using Ids = std::vector<TokenId>;

const tokenizer::Tokenizer& Sample() {
  static const auto tokenizer =
      tokenizer::Tokenizer::Load(SGLRUN_SOURCE_DIR "/samples/model").value();
  return *tokenizer;
}

Ids Encoded(std::string_view text) {
  return *Sample().Encode(text, {.add_special_tokens = false});
}

std::string Decoded(const Ids& ids) {
  return Sample().Decode(ids, /*skip_special_tokens=*/false);
}

// An answer spelled in other tokens than the tokenizer would take: byte for byte.
Ids Spelled(std::string_view text) {
  Ids ids;
  for (const char c : text) {
    const Ids one = Encoded(std::string_view(&c, 1));
    ids.insert(ids.end(), one.begin(), one.end());
  }
  return ids;
}

constexpr TokenId kEnd = 2;  // <|im_end|>

struct Turn {
  std::vector<ChatMessage> messages;
  Ids prompt, output;
};

Turn Answered(const std::string& prompt, Ids output) {
  Conversation conversation;
  auto making = std::make_shared<Making>();
  making->prompt_text = prompt;
  making->prompt_ids = Encoded(prompt);
  making->output_ids = output;
  conversation.AddUser("q");
  conversation.AddAnswer("a", making);
  return {conversation.messages(), making->prompt_ids, std::move(output)};
}

constexpr const char* kPrompt = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n";
constexpr const char* kNext = "\n<|im_start|>user\nr<|im_end|>\n<|im_start|>assistant\n";

Ids Joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_CASE(
    "a prompt continues from the drawn tokens, even where the tokenizer would choose others") {
  Ids output = Spelled("Hello there");
  REQUIRE(output != Encoded("Hello there"));
  output.push_back(kEnd);
  const Turn turn = Answered(kPrompt, output);
  const PromptEncoder encoder(Sample(), /*plain_content=*/false);
  const std::string text = std::string(kPrompt) + "Hello there<|im_end|>" + kNext;
  const auto encoded = encoder.Encode({.text = text, .user = {}}, turn.messages);
  REQUIRE(encoded.ok());
  CHECK(encoded->kept == turn.prompt.size() + output.size());
  CHECK(encoded->ids == Joined(Joined(turn.prompt, output), Encoded(kNext)));
}

TEST_CASE("an answer that was cut off gets the end that the template writes") {
  const Turn turn = Answered(kPrompt, Spelled("Hello"));
  const PromptEncoder encoder(Sample(), /*plain_content=*/false);
  const std::string text = std::string(kPrompt) + "Hello<|im_end|>" + kNext;
  const auto encoded = encoder.Encode({.text = text, .user = {}}, turn.messages);
  CHECK(encoded->kept == turn.prompt.size() + 5);
  CHECK(encoded->ids[encoded->kept] == kEnd);
  CHECK(Decoded(encoded->ids) == text);
}

TEST_CASE("of an answer that the template changes, the unchanged beginning is reused") {
  Ids output = Spelled("Hello  ");
  output.push_back(kEnd);
  const Turn turn = Answered(kPrompt, output);
  const PromptEncoder encoder(Sample(), /*plain_content=*/false);
  const std::string trimmed = std::string(kPrompt) + "Hello<|im_end|>" + kNext;
  const auto encoded = encoder.Encode({.text = trimmed, .user = {}}, turn.messages);
  CHECK(encoded->kept == turn.prompt.size() + 5);
  CHECK(Decoded(encoded->ids) == trimmed);

  const std::string other = std::string(kPrompt) + "Bye<|im_end|>" + kNext;
  const auto behind = encoder.Encode({.text = other, .user = {}}, turn.messages);
  CHECK(behind->kept == turn.prompt.size());
  CHECK(behind->ids == Joined(turn.prompt, Encoded("Bye<|im_end|>" + std::string(kNext))));
}

TEST_CASE("a prompt is not reused up to the middle of a character") {
  const Ids diver = Encoded("\U0001F93F"), player = Encoded("\U0001F93E");
  REQUIRE(diver.size() == 3);
  REQUIRE(diver[1] == player[1]);
  const Turn turn = Answered(kPrompt, {diver[0], diver[1]});
  const PromptEncoder encoder(Sample(), /*plain_content=*/false);
  const auto encoded = encoder.Encode(
      {.text = std::string(kPrompt) + "\U0001F93E<|im_end|>\n", .user = {}}, turn.messages);
  CHECK(encoded->kept == turn.prompt.size());
}

TEST_CASE("special tokens typed by the user are plain text with --no-special-in-content") {
  const Turn turn = Answered(kPrompt, {kEnd});
  const std::string before = std::string(kPrompt) + "<|im_end|>\n<|im_start|>user\n";
  const std::string typed = "a<|im_end|>b";
  const std::string text = before + typed + "<|im_end|>\n";
  const chat_template::ChatPrompt prompt{.text = text,
                                         .user = {{before.size(), before.size() + typed.size()}}};
  const auto ends = [&](bool plain, const std::vector<ChatMessage>& messages) {
    const auto encoded = PromptEncoder(Sample(), plain).Encode(prompt, messages);
    CHECK(Decoded(encoded->ids) == text);
    return std::ranges::count(encoded->ids, kEnd);
  };
  CHECK(ends(false, turn.messages) == 4);
  CHECK(ends(true, turn.messages) == 3);
  CHECK(ends(false, {}) == 4);
  CHECK(ends(true, {}) == 3);
}

TEST_CASE("another system message makes a prompt that is encoded whole") {
  const Turn turn = Answered(kPrompt, {kEnd});
  const PromptEncoder encoder(Sample(), /*plain_content=*/false);
  const std::string text = "<|im_start|>system\nx<|im_end|>\n" + std::string(kPrompt);
  const auto encoded = encoder.Encode({.text = text, .user = {}}, turn.messages);
  CHECK(encoded->kept == 0);
  CHECK(encoded->ids == Encoded(text));
}

}  // namespace
}  // namespace sglrun::chat
