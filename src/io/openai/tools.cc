#include "io/openai/tools.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/openai/body_fields.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io::openai {
namespace {

using request::BadValue;

constexpr std::string_view kChoices =
    R"("none", "auto", "required" or {"type": "function", "function": {"name": ..}})";

Result<void, RecordError> CheckName(const Json& function, const std::string& path) {
  const Json* const name = function.Find("name");
  if (name != nullptr && name->is_string() && !name->as_string().empty()) return {};
  return BadValue(path + ".name", name == nullptr ? "missing" : name->Excerpt(),
                  "the name of a function");
}

// The function of a tool: {"type": "function", "function": {"name": ..}}. Only the type of `strict`
// is checked: the parameters of required calls are enforced even without it, as in vLLM and SGLang.
Result<const Json*, RecordError> FunctionOf(const Json& tool, const std::string& path) {
  const std::string form = R"(an object like {"type": "function", "function": {"name": ..}})";
  if (!tool.is_object()) return BadValue(path, tool.Excerpt(), form);
  const Json* const type = tool.Find("type");
  if (type != nullptr && !(type->is_string() && type->as_string() == "function")) {
    return BadValue(path + ".type", type->Excerpt(), "\"function\"");
  }
  const Json* const function = tool.Find("function");
  const std::string place = path + ".function";
  if (function == nullptr || !function->is_object()) {
    return BadValue(place, function == nullptr ? "missing" : function->Excerpt(),
                    R"(an object like {"name": .., "parameters": {..}})");
  }
  SGLRUN_RETURN_IF_ERROR(CheckName(*function, place));
  SGLRUN_RETURN_IF_ERROR(CheckMembers(*function, place + ".",
                                      {{"description", request::Kind::kString},
                                       {"parameters", request::Kind::kObject},
                                       {"strict", request::Kind::kBool}}));
  return function;
}

Result<std::vector<const Json*>, RecordError> FunctionsOf(const Json& tools) {
  if (!tools.is_array()) return BadValue("tools", tools.Excerpt(), "an array of functions");
  std::vector<const Json*> functions;
  for (const Json& tool : tools.as_array()) {
    SGLRUN_ASSIGN_OR_RETURN(const Json* const function,
                            FunctionOf(tool, request::ElementPath("tools", functions.size())));
    functions.push_back(function);
  }
  return functions;
}

// References inside a schema are relative to its root. When the schema is moved to `pointer` of
// another schema, they are adjusted.
void MoveReferences(Json& schema, const std::string& pointer) {
  if (schema.is_array()) {
    for (Json& item : schema.as_array()) MoveReferences(item, pointer);
  }
  if (!schema.is_object()) return;
  for (auto& [name, value] : schema.as_object()) {
    // Values, in which nothing is a reference.
    if (name == "const" || name == "enum" || name == "default" || name == "examples") continue;
    if (name == "$ref" && value.is_string() && value.as_string().starts_with("#")) {
      value.as_string().insert(1, pointer);
    } else {
      MoveReferences(value, pointer);
    }
  }
}

// {"name": "f", "parameters": {..}}; `pointer` is where this stands in the whole schema.
Json CallSchema(const Json& function, const std::string& pointer) {
  const Json* const stated = function.Find("parameters");
  Json parameters =
      stated != nullptr && !stated->is_null()
          ? *stated
          : Json(Json::Object{{"type", std::string("object")}, {"properties", Json::Object()}});
  MoveReferences(parameters, pointer + "/properties/parameters");
  const Json name = Json::Object{{"const", *function.Find("name")}};
  return Json::Object{
      {"type", std::string("object")},
      {"properties", Json::Object{{"name", name}, {"parameters", std::move(parameters)}}},
      {"required", Json::Array{std::string("name"), std::string("parameters")}},
      {"additionalProperties", false}};
}

// An array of calls.
Json CallsSchema(const std::vector<const Json*>& functions, bool only_one) {
  Json::Array choices;
  for (const Json* const function : functions) {
    choices.push_back(CallSchema(*function, "/items/anyOf/" + std::to_string(choices.size())));
  }
  Json::Object schema{{"type", std::string("array")},
                      {"minItems", std::int64_t{1}},
                      {"items", Json::Object{{"anyOf", std::move(choices)}}}};
  if (only_one) schema.emplace_back("maxItems", std::int64_t{1});
  return schema;
}

// The name in {"type": "function", "function": {"name": ..}}; nullptr when it is something else.
const Json* NamedFunction(const Json& choice) {
  const Json* const type = choice.Find("type");
  if (type != nullptr && !(type->is_string() && type->as_string() == "function")) return nullptr;
  const Json* const function = choice.is_object() ? choice.Find("function") : nullptr;
  const Json* const name =
      function != nullptr && function->is_object() ? function->Find("name") : nullptr;
  return name != nullptr && name->is_string() ? name : nullptr;
}

// With tools and without a choice, the model decides.
Result<std::string, RecordError> ChoiceWord(const Json& choice) {
  if (choice.is_null()) return std::string("auto");
  if (NamedFunction(choice) != nullptr) return std::string("named");
  const bool known =
      choice.is_string() && (choice.as_string() == "none" || choice.as_string() == "auto" ||
                             choice.as_string() == "required");
  if (!known) return BadValue("tool_choice", choice.Excerpt(), kChoices);
  return choice.as_string();
}

}  // namespace

Result<ToolRequest, RecordError> ReadTools(Json tools, const Json& choice, const Json& parallel,
                                           Reply& reply) {
  const bool only_one = parallel.is_bool() && !parallel.as_bool();
  SGLRUN_ASSIGN_OR_RETURN(const std::string word, ChoiceWord(choice));
  if (tools.is_null() || (tools.is_array() && tools.as_array().empty())) {
    if (word != "named" && word != "required") return ToolRequest();
    return RecordError{"tool_choice is given without tools", "tool_choice"};
  }
  SGLRUN_ASSIGN_OR_RETURN(std::vector<const Json*> functions, FunctionsOf(tools));
  if (word == "none") return ToolRequest();
  if (word == "named") {
    const Json& name = *NamedFunction(choice);
    std::erase_if(functions, [&](const Json* function) {
      return function->Find("name")->as_string() != name.as_string();
    });
    if (functions.empty()) {
      return RecordError{"tool_choice names " + name.Excerpt() + ", which is not among the tools",
                         "tool_choice"};
    }
    functions.erase(functions.begin() + 1, functions.end());
    reply.one_named_tool = true;
  }
  for (const Json* const function : functions) {
    reply.tools.push_back(function->Find("name")->as_string());
  }
  ToolRequest request;
  reply.calls = word == "auto" ? CallSyntax::kTemplate : CallSyntax::kForced;
  if (word != "auto") request.schema = CallsSchema(functions, only_one || word == "named");
  request.shown = std::move(tools);
  return request;
}

void ExpectToolCalls(ToolCallForm form, Reply& reply, Json& record) {
  reply.form = form;
  if (reply.calls != CallSyntax::kTemplate || form != ToolCallForm::kListed) return;
  for (auto& [name, value] : record.as_object()) {
    if (name != "sampling_params" || value.Find("skip_special_tokens") != nullptr) continue;
    value.as_object().emplace_back("skip_special_tokens", false);
  }
}

}  // namespace sglrun::io::openai
