#include "io/openai/line.h"

#include <string_view>
#include <utility>

#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io::openai {
namespace {

using request::BadValue;

constexpr std::string_view kChatUrl = "/v1/chat/completions";
constexpr std::string_view kCompletionsUrl = "/v1/completions";

const Json* FindValue(const Json& object, std::string_view name) {
  const Json* const value = object.Find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<Endpoint, RecordError> ReadUrl(const Json& line) {
  const Json* const url = FindValue(line, "url");
  if (url != nullptr && url->is_string()) {
    if (url->as_string() == kChatUrl) return Endpoint::kChat;
    if (url->as_string() == kCompletionsUrl) return Endpoint::kCompletions;
  }
  return BadValue("url", url == nullptr ? "missing" : url->Excerpt(),
                  std::string(kChatUrl) + " or " + std::string(kCompletionsUrl));
}

Result<void, RecordError> CheckMethod(const Json& line) {
  const Json* const method = FindValue(line, "method");
  if (method != nullptr && method->is_string() && method->as_string() == "POST") return {};
  return BadValue("method", method == nullptr ? "missing" : method->Excerpt(), "\"POST\"");
}

// A textual id names the row even if the rest of the line is invalid.
Result<void, RecordError> ReadCustomId(const Json& line, Reply& reply) {
  const Json* const id = FindValue(line, "custom_id");
  if (id == nullptr || !id->is_string()) {
    return BadValue("custom_id", id == nullptr ? "missing" : id->Excerpt(), "a string");
  }
  reply.custom_id = id->as_string();
  return request::CheckString(*id, "custom_id");
}

Result<void, RecordError> CheckNames(const Json& line, bool strict,
                                     std::vector<std::string>& warnings) {
  for (const auto& [name, value] : line.as_object()) {
    if (name == "custom_id" || name == "method" || name == "url" || name == "body") continue;
    const std::string sentence = "unknown field " + Json(request::ShortName(name)).Dump();
    const std::string place = " next to custom_id, method, url and body";
    if (strict) return RecordError{sentence + place, request::ShortName(name)};
    warnings.push_back(sentence + place + " is ignored");
  }
  return {};
}

}  // namespace

bool LooksLikeLine(const Json& object) {
  return object.Find("custom_id") != nullptr &&
         (object.Find("body") != nullptr || object.Find("url") != nullptr ||
          object.Find("method") != nullptr);
}

Result<Json, RecordError> ReadLine(Json line, const BodyOptions& options, Reply& reply,
                                   std::vector<std::string>& warnings) {
  SGLRUN_RETURN_IF_ERROR(ReadCustomId(line, reply));
  SGLRUN_RETURN_IF_ERROR(CheckNames(line, options.strict, warnings));
  SGLRUN_RETURN_IF_ERROR(CheckMethod(line));
  SGLRUN_ASSIGN_OR_RETURN(reply.endpoint, ReadUrl(line));
  for (auto& [name, value] : line.as_object()) {
    if (name != "body") continue;
    if (!value.is_object()) return BadValue("body", value.KindName(), "an object");
    return ReadBody(std::move(value), options, reply, warnings);
  }
  return BadValue("body", "missing", "an object");
}

}  // namespace sglrun::io::openai
