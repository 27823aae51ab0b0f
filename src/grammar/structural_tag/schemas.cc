// Formats that hold a JSON schema.
#include <algorithm>
#include <array>
#include <string_view>

#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {

ExprResult Builder::Schema(const Node& schema, const GrammarOptions& options, JsonStyle style) {
  FrontEnd inner{front_.grammar, options, front_.vocabulary, front_.budget, front_.report};
  const Json& json = schema.json();
  return AppendJsonSchema(inner, json.is_null() ? "{}" : json.Dump(), schema.pointer(), style);
}

ExprResult Builder::Build(const JsonSchemaFormat& format, const Node&, const Around&) {
  constexpr std::array<std::string_view, 5> kOthers = {"minimax_xml", "deepseek_xml", "glm_xml",
                                                       "cohere_xml", "kimi_k3_xml"};
  const std::string& name = format.style.value;
  if (std::ranges::find(kOthers, name) != kOthers.end()) {
    return format.style.at.Error(
        Verdict::kUnsupported,
        "the style \"" + name + "\" is not offered, \"json\" and \"qwen_xml\" are");
  }
  if (name == "qwen_xml") return StyledSchema(format, JsonStyle::kParameters);
  if (name != "json") return format.style.at.Invalid("there is no style \"" + name + "\"");
  return StyledSchema(format, JsonStyle::kJson);
}

ExprResult Builder::Build(const QwenXmlParameterFormat& format, const Node&, const Around&) {
  return StyledSchema(format, JsonStyle::kParameters);
}

template <class F>
ExprResult Builder::StyledSchema(const F& format, JsonStyle style) {
  GrammarOptions options = front_.options;
  if (format.max_whitespace_cnt.value) {
    options.json_max_whitespace = *format.max_whitespace_cnt.value;
  }
  const Node& schema = format.json_schema.value;
  if (!format.any_order.value || !schema.json().is_object()) return Schema(schema, options, style);
  Json changed = schema.json();
  Json::Object& members = changed.as_object();
  auto own = std::ranges::find(members, "x-sglrun", &Json::Member::first);
  if (own == members.end()) {
    own = members.insert(members.end(), {"x-sglrun", Json::Object()});
  }
  if (own->second.is_object() && own->second.Find("any_order") == nullptr) {
    own->second.as_object().emplace_back("any_order", true);
  }
  return Schema({changed, schema.pointer()}, options, style);
}

}  // namespace sglrun::grammar::tag
