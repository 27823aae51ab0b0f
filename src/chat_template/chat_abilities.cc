#include "chat_template/chat_abilities.h"

#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

namespace sglrun::chat_template {
namespace {

constexpr std::string_view kSystemText = "probe 53 of system";
constexpr std::string_view kToolName = "probe_54_tool";

Json ProbeMessage(std::string_view role, std::string_view content) {
  return Json::Object{{"role", std::string(role)}, {"content", std::string(content)}};
}

Json Question() {
  return Json::Array{ProbeMessage("user", "a")};
}

Json SystemAndQuestion() {
  return Json::Array{ProbeMessage("system", kSystemText), ProbeMessage("user", "a")};
}

Json Tools() {
  const Json parameters = Json::Object{
      {"type", std::string("object")}, {"properties", Json::Object{}}, {"required", Json::Array{}}};
  const Json function = Json::Object{{"name", std::string(kToolName)},
                                     {"description", std::string("looks")},
                                     {"parameters", parameters}};
  return Json::Array{Json::Object{{"type", std::string("function")}, {"function", function}}};
}

// The same time for all renderings, so that a current time in the prompt makes no difference.
Result<std::string> RenderProbe(const ChatTemplate& chat, Json messages, Json tools = {},
                                Json::Object variables = {}) {
  std::tm moment{};
  moment.tm_year = 126;
  moment.tm_mday = 1;
  auto prompt = chat.Render({.messages = std::move(messages),
                             .tools = std::move(tools),
                             .fit_content = true,
                             .variables = std::move(variables),
                             .now = moment});
  if (!prompt.ok()) return std::move(prompt).error();
  return std::move(prompt->text);
}

bool ProbeHolds(const Result<std::string>& text, std::string_view words) {
  return text.ok() && text->find(words) != std::string::npos;
}

ContentShape ShapeOfUsers(const ChatTemplate& chat) {
  return ContentShapes().Of("user", [&](Json messages) -> std::optional<std::string> {
    auto prompt = chat.Render({.messages = std::move(messages)});
    if (!prompt.ok()) return std::nullopt;
    return std::move(prompt->text);
  });
}

struct ThinkingSwitch {
  const char* name;
  Json one, other;
};

std::vector<std::string> FindThinkingSwitches(const ChatTemplate& chat, const Json& messages) {
  const ThinkingSwitch known[] = {
      {"enable_thinking", true, false},
      {"thinking", true, false},
      {"reasoning_effort", std::string("high"), std::string("low")},
      {"thinking_budget", std::int64_t{512}, std::int64_t{0}},
  };
  std::vector<std::string> found;
  for (const ThinkingSwitch& one : known) {
    const auto first = RenderProbe(chat, messages, {}, {{one.name, one.one}});
    const auto second = RenderProbe(chat, messages, {}, {{one.name, one.other}});
    if (first.ok() && second.ok() && *first != *second) found.emplace_back(one.name);
  }
  return found;
}

}  // namespace

Result<ChatAbilities> FindChatAbilities(const ChatTemplate& chat) {
  const Result<std::string> plain = RenderProbe(chat, Question());
  const Result<std::string> with_system = RenderProbe(chat, SystemAndQuestion());
  if (!plain.ok() && !with_system.ok()) return plain.error();
  if (plain.ok() && plain->empty()) return Error{"the chat template makes an empty prompt"};
  const Json messages = plain.ok() ? Question() : SystemAndQuestion();
  ChatAbilities abilities;
  abilities.takes_system = ProbeHolds(with_system, kSystemText);
  abilities.takes_tools = ProbeHolds(RenderProbe(chat, messages, Tools()), kToolName);
  abilities.content = ShapeOfUsers(chat);
  abilities.thinking_switches = FindThinkingSwitches(chat, messages);
  return abilities;
}

}  // namespace sglrun::chat_template
