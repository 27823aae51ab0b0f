// Contents of messages in the shape a template takes, and special tokens that users spell.
#include "chat_template/chat_content.h"

#include "chat_template/chat_template.h"
#include "small_tokenizers.h"

namespace sglrun::chat_template {
namespace {

using tokenizer::BpeJson;
using tokenizer::FromJson;
using tokenizer::Ids;

ChatTemplate TemplateOf(const std::string& text) {
  auto chat = ChatTemplate::Make(ChatTemplateFiles{{{"default", text, "test"}}, {}});
  REQUIRE(chat.ok());
  return std::move(chat).value();
}

RenderAsIs RendererOf(const ChatTemplate& chat) {
  return [&chat](Json messages) -> std::optional<std::string> {
    auto prompt = chat.Render({.messages = std::move(messages)});
    if (!prompt.ok()) return std::nullopt;
    return std::move(prompt->text);
  };
}

ContentShape ShapeOf(const std::string& text, std::string_view role = "user") {
  const ChatTemplate chat = TemplateOf(text);
  return ContentShapes().Of(role, RendererOf(chat));
}

constexpr const char* kTextTemplate =
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
constexpr const char* kPartsTemplate =
    "{% for m in messages %}{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}"
    "{% endif %}{% endfor %}{% endfor %}";
constexpr const char* kEitherTemplate =
    "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for p in m.content %}{{ p['text'] }}{% endfor %}{% endif %}{% endfor %}";

TEST_CASE("the shape of contents is found out by rendering both") {
  CHECK(ShapeOf(kTextTemplate) == ContentShape::kText);
  CHECK(ShapeOf(kPartsTemplate) == ContentShape::kParts);
  CHECK(ShapeOf(kEitherTemplate) == ContentShape::kEither);
  // One that refuses both, and one that cannot be rendered so, get texts.
  CHECK(ShapeOf("{{ raise_exception('no') }}") == ContentShape::kText);
  CHECK(ShapeOf("{{ messages[0].content + 'x' }}") == ContentShape::kText);
}

TEST_CASE("each kind of role has its own shape") {
  // As many templates have it: parts of users alone.
  const std::string text =
      "{% for m in messages %}{% if m.role == 'user' and m.content is not string %}"
      "{% for p in m.content %}{{ p.text }}{% endfor %}{% else %}{{ m.content }}{% endif %}"
      "{% endfor %}";
  CHECK(ShapeOf(text, "user") == ContentShape::kEither);
  CHECK(ShapeOf(text, "critic") == ContentShape::kEither);  // taken as a user
  for (const char* role : {"system", "assistant", "tool", "developer"}) {
    CAPTURE(role);
    CHECK(ShapeOf(text, role) == ContentShape::kText);
  }
  // The neighbours of the message come in the users' shape.
  const std::string strict =
      "{% for m in messages %}{% if m.content is string %}{{ raise_exception('parts') }}"
      "{% endif %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}";
  CHECK(ShapeOf(strict, "system") == ContentShape::kParts);
}

std::string Fitted(const std::string& text, const std::string& messages) {
  const ChatTemplate chat = TemplateOf(text);
  ContentShapes shapes;
  Json json = ParseJson(messages)->value;
  FitContent(shapes, RendererOf(chat), json);
  return json.Dump();
}

TEST_CASE("texts of parts are joined with a space, a text becomes one part") {
  const std::string parts =
      R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])";
  CHECK(Fitted(kTextTemplate, parts) == R"([{"role":"user","content":"a b"}])");
  CHECK(Fitted(kEitherTemplate, parts) == parts);
  CHECK(Fitted(kPartsTemplate, R"([{"role":"user","content":"a"}])") ==
        R"([{"role":"user","content":[{"type":"text","text":"a"}]}])");
  CHECK(Fitted(kTextTemplate, R"([{"role":"user","content":[]},{"role":"x"},{"content":[]}])") ==
        R"([{"role":"user","content":""},{"role":"x"},{"content":[]}])");
}

TEST_CASE("a template gets contents as they are, unless they are to be fitted") {
  const ChatTemplate chat = TemplateOf(kTextTemplate);
  const Json messages =
      ParseJson(R"([{"role":"user","content":[{"type":"text","text":"a"}]}])")->value;
  CHECK(chat.Render({.messages = messages})->text == "<user>[{'type': 'text', 'text': 'a'}]");
  CHECK(chat.Render({.messages = messages, .fit_content = true})->text == "<user>a");
}

// "<e>" is special, "<t>" is not.
std::unique_ptr<tokenizer::Tokenizer> WithAddedTokens(const std::string& more = "") {
  return FromJson(
      BpeJson({"<", "e", ">", "t", "a", "<e>", "<t>"}, {}, "",
              R"("added_tokens":[{"id":5,"content":"<e>","special":true)" + more +
                  R"(},{"id":6,"content":"<t>","special":false,"normalized":false}],)"));
}

TEST_CASE("in plain stretches special tokens are words like others") {
  const auto tokenizer = WithAddedTokens();
  const TextRange user{3, 7};
  const auto encode = [&](std::string_view text, std::span<const TextRange> plain) {
    return Encode(*tokenizer, text, {.add_special_tokens = false, .plain = plain});
  };
  CHECK(encode("<e>a<e><e>", {}) == Ids{5, 4, 5, 5});
  CHECK(encode("<e>a<e><e>", {&user, 1}) == Ids{5, 4, 0, 1, 2, 5});
  // One that only ends or begins there is not one, either: part of it was written by a user.
  const TextRange inside{1, 2};
  CHECK(encode("<e>", {&inside, 1}) == Ids{0, 1, 2});
  // Other added tokens are words that a model has learned, whoever writes them.
  const TextRange all{0, 6};
  CHECK(encode("<t><e>", {&all, 1}) == Ids{6, 0, 1, 2});
  // Places in a text that had to be repaired are not known: nothing special is found in it.
  CHECK(encode("\xff<e>", {&user, 1}) == encode("\xef\xbf\xbd<e>", {&all, 1}));
}

TEST_CASE("special tokens that are searched in normalised text are not found beside plain text") {
  const auto tokenizer = WithAddedTokens(R"(,"normalized":true)");
  const TextRange user{0, 1};
  CHECK(Encode(*tokenizer, "a<e>", {.add_special_tokens = false}) == Ids{4, 5});
  CHECK(Encode(*tokenizer, "a<e>", {.add_special_tokens = false, .plain = {&user, 1}}) ==
        Ids{4, 0, 1, 2});
}

}  // namespace
}  // namespace sglrun::chat_template
