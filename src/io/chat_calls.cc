#include "io/chat_calls.h"

#include <string_view>
#include <utility>

#include "io/members.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using Outcome = Result<void, RecordError>;

constexpr std::string_view kCallForm =
    R"({"type": "function", "function": {"name": "f", "arguments": {..}}})";

Outcome TidyArguments(Json& arguments, const std::string& path) {
  if (arguments.is_object()) return {};
  if (!arguments.is_string()) {
    return BadValue(path, arguments.Excerpt(), "an object, or its JSON text");
  }
  // Calls of functions without parameters come with no text at all.
  const std::string& text = arguments.as_string();
  auto parsed = ParseJson(text.empty() ? "{}" : std::string_view(text));
  if (!parsed.ok() || !parsed->value.is_object()) {
    return BadValue(path, arguments.Excerpt(), "the JSON text of an object");
  }
  arguments = std::move(parsed->value);
  return {};
}

Outcome TidyFunction(Json& function, const std::string& path) {
  const Json* const name = FindMember(function, "name");
  if (name == nullptr || !name->is_string() || name->as_string().empty()) {
    return BadValue(path + ".name", name == nullptr ? "missing" : name->Excerpt(),
                    "the name of a function");
  }
  SGLRUN_RETURN_IF_ERROR(request::CheckString(*name, path + ".name"));
  Json* const arguments = FindMember(function, "arguments");
  if (arguments == nullptr || arguments->is_null()) return {};
  return TidyArguments(*arguments, path + ".arguments");
}

Outcome TidyCall(Json& call, const std::string& path) {
  if (!call.is_object()) {
    return BadValue(path, call.Excerpt(), "an object like " + std::string(kCallForm));
  }
  if (const Json* const id = FindMember(call, "id"); id != nullptr && !id->is_null()) {
    SGLRUN_RETURN_IF_ERROR(request::CheckString(*id, path + ".id"));
  }
  if (const Json* const type = FindMember(call, "type"); type != nullptr && !type->is_null()) {
    if (!type->is_string() || type->as_string() != "function") {
      return BadValue(path + ".type", type->Excerpt(), "\"function\"");
    }
  }
  Json* const function = FindMember(call, "function");
  if (function == nullptr && FindMember(call, "name") != nullptr) return TidyFunction(call, path);
  if (function == nullptr || !function->is_object()) {
    return BadValue(path + ".function", function == nullptr ? "missing" : function->Excerpt(),
                    R"(an object like {"name": "f", "arguments": {..}})");
  }
  return TidyFunction(*function, path + ".function");
}

}  // namespace

Outcome TidyCalls(Json& calls, const std::string& path) {
  if (!calls.is_array()) {
    return BadValue(path, calls.Excerpt(), "an array of calls like " + std::string(kCallForm));
  }
  std::size_t index = 0;
  for (Json& call : calls.as_array()) {
    SGLRUN_RETURN_IF_ERROR(TidyCall(call, request::ElementPath(path, index++)));
  }
  return {};
}

}  // namespace sglrun::io
