// What a chat template makes use of.
#include "chat_template/chat_abilities.h"

#include <doctest/doctest.h>

namespace sglrun::chat_template {
namespace {

Result<ChatAbilities> AbilitiesOf(const std::string& text) {
  auto chat = ChatTemplate::Make(ChatTemplateFiles{{{"default", text, "test"}}, {}});
  REQUIRE(chat.ok());
  return FindChatAbilities(*chat);
}

TEST_CASE("the abilities of a chat template are found by rendering prompts") {
  const auto plain = AbilitiesOf(
      "{{ strftime_now('%S') }}{% for m in messages if m.role == 'user' %}{{ m.content }}"
      "{% endfor %}");
  REQUIRE(plain.ok());
  CHECK(!plain->takes_system);
  CHECK(!plain->takes_tools);
  CHECK(plain->content == ContentShape::kText);
  CHECK(plain->thinking_switches.empty());

  const auto rich = AbilitiesOf(
      "{% for t in tools or [] %}{{ t.function.name }}{% endfor %}{% for m in messages %}"
      "{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}"
      "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
      "{% if reasoning_effort %}{{ reasoning_effort }}{% endif %}");
  REQUIRE(rich.ok());
  CHECK(rich->takes_system);
  CHECK(rich->takes_tools);
  CHECK(rich->content == ContentShape::kParts);
  CHECK(rich->thinking_switches == std::vector<std::string>{"enable_thinking", "reasoning_effort"});
}

TEST_CASE(
    "a template that requires a system message is accepted, and one that rejects it is detected") {
  const auto wants = AbilitiesOf(
      "{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}"
      "{{ messages[0].content }}{{ tools }}");
  REQUIRE(wants.ok());
  CHECK(wants->takes_system);
  CHECK(wants->takes_tools);
  const auto refuses = AbilitiesOf(
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
      "{{ messages[0].content }}");
  REQUIRE(refuses.ok());
  CHECK(!refuses->takes_system);
}

TEST_CASE("a template that makes no prompt says why") {
  CHECK(AbilitiesOf("").error().message == "the chat template makes an empty prompt");
  CHECK(AbilitiesOf("{{ raise_exception('never') }}").error().message ==
        "the chat template refuses the messages: never");
  CHECK(AbilitiesOf("{{ messages.nothing.at_all }}").error().message.find("line 1") !=
        std::string::npos);
}

}  // namespace
}  // namespace sglrun::chat_template
