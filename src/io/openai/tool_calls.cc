#include "io/openai/tool_calls.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace sglrun::io::openai {
namespace {

using Calls = std::vector<ToolCall>;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Numbers keep their text, so that arguments are what the model wrote.
std::optional<Json> ParseValue(std::string_view text) {
  auto parsed = ParseJson(text, {.keep_number_text = true});
  if (!parsed.ok()) return std::nullopt;
  return std::move(parsed->value);
}

// {"name": "f", "arguments": {..}}; some families write "parameters".
bool AddCall(const Json& value, const Reply& reply, Calls& calls) {
  const Json* const name = value.is_object() ? value.Find("name") : nullptr;
  if (name == nullptr || !name->is_string()) return false;
  if (std::ranges::find(reply.tools, name->as_string()) == reply.tools.end()) return false;
  const Json* arguments = value.Find("arguments");
  if (arguments == nullptr) arguments = value.Find("parameters");
  if (arguments == nullptr || !arguments->is_object()) return false;
  calls.push_back({name->as_string(), arguments->Dump()});
  return true;
}

bool AddCallText(std::string_view text, const Reply& reply, Calls& calls) {
  const std::optional<Json> value = ParseValue(text);
  return value && AddCall(*value, reply, calls);
}

bool AddCallArray(std::string_view text, const Reply& reply, Calls& calls) {
  const std::optional<Json> value = ParseValue(text);
  if (!value || !value->is_array() || value->as_array().empty()) return false;
  return std::ranges::all_of(value->as_array(),
                             [&](const Json& call) { return AddCall(call, reply, calls); });
}

// <tool_call>{"name": .., "arguments": ..}</tool_call>
bool ReadTagged(std::string_view text, const Reply& reply, CalledText& found) {
  constexpr std::string_view kBegin = "<tool_call>", kEnd = "</tool_call>";
  std::string around;
  for (std::size_t begin = text.find(kBegin); begin != std::string_view::npos;
       begin = text.find(kBegin)) {
    around += text.substr(0, begin);
    text.remove_prefix(begin + kBegin.size());
    const std::size_t end = text.find(kEnd);
    if (end == std::string_view::npos) return false;
    if (!AddCallText(text.substr(0, end), reply, found.calls)) return false;
    text.remove_prefix(end + kEnd.size());
  }
  around += text;
  found.content = Trimmed(around);
  return true;
}

// {"name": .., "parameters": ..}; {"name": .., "parameters": ..}
bool ReadBare(std::string_view text, const Reply& reply, CalledText& found) {
  constexpr std::string_view kMark = "<|python_tag|>";
  text = Trimmed(text);
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  // A semicolon inside a string is not a separator: the text before it is not valid JSON.
  std::size_t end = 0;
  while (!text.empty()) {
    end = text.find(';', end);
    if (AddCallText(text.substr(0, end), reply, found.calls)) {
      text = end == std::string_view::npos ? std::string_view() : Trimmed(text.substr(end + 1));
      end = 0;
    } else if (end == std::string_view::npos) {
      return false;
    } else {
      ++end;
    }
  }
  return true;
}

// [TOOL_CALLS][{"name": .., "arguments": ..}]
bool ReadListed(std::string_view text, const Reply& reply, CalledText& found) {
  constexpr std::string_view kMark = "[TOOL_CALLS]";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return false;
  found.content = Trimmed(text.substr(0, mark));
  return AddCallArray(text.substr(mark + kMark.size()), reply, found.calls);
}

bool ReadCalls(std::string_view text, const Reply& reply, CalledText& found) {
  if (reply.calls == CallSyntax::kForced) return AddCallArray(text, reply, found.calls);
  switch (reply.form) {
    case ToolCallForm::kTagged:
      return ReadTagged(text, reply, found);
    case ToolCallForm::kBare:
      return ReadBare(text, reply, found);
    case ToolCallForm::kListed:
      return ReadListed(text, reply, found);
    case ToolCallForm::kNone:
      break;
  }
  return false;
}

}  // namespace

std::optional<CalledText> FindToolCalls(const Reply& reply, std::string_view text) {
  CalledText found;
  if (reply.calls == CallSyntax::kNone || !ReadCalls(text, reply, found)) return std::nullopt;
  if (found.calls.empty()) return std::nullopt;
  return found;
}

}  // namespace sglrun::io::openai
