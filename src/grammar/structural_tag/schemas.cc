// Formats that hold a JSON schema.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {
namespace {

constexpr std::array<std::pair<std::string_view, JsonStyle>, 10> kStyles = {{
    {"json", JsonStyle::kJson},
    {"qwen_xml", JsonStyle::kQwenXml},
    {"minimax_xml", JsonStyle::kMinimaxXml},
    {"minimax_m3_xml", JsonStyle::kMinimaxM3Xml},
    {"deepseek_xml", JsonStyle::kDeepseekXml},
    {"deepseek_v4_1_xml", JsonStyle::kDeepseekV41Xml},
    {"glm_xml", JsonStyle::kGlmXml},
    {"cohere_xml", JsonStyle::kCohereXml},
    {"kimi_k3_xml", JsonStyle::kKimiK3Xml},
    {"gemma", JsonStyle::kGemma},
}};

}  // namespace

ExprResult Builder::Schema(const Node& schema, const GrammarOptions& options,
                           const SchemaSpelling& spelling) {
  FrontEnd inner{front_.grammar, options, front_.vocabulary, front_.budget, front_.report};
  const Json& json = schema.json();
  return AppendJsonSchema(inner, json.is_null() ? "{}" : json.Dump(), schema.pointer(), spelling);
}

ExprResult Builder::Build(const JsonSchemaFormat& format, const Node&, const Around&) {
  const std::string& name = format.style.value;
  std::vector<std::string_view> known;
  for (const auto& [style_name, style] : kStyles) {
    if (style_name == name) return StyledSchema(format, style);
    known.push_back(style_name);
  }
  const std::string near = NearestName(name, known);
  return format.style.at.Invalid("there is no style \"" + name + "\"" +
                                 (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
}

ExprResult Builder::Build(const QwenXmlParameterFormat& format, const Node&, const Around&) {
  return StyledSchema(format, JsonStyle::kQwenXml);
}

template <class F>
ExprResult Builder::StyledSchema(const F& format, JsonStyle style) {
  GrammarOptions options = front_.options;
  if (format.max_whitespace_cnt.value) {
    options.json_max_whitespace = *format.max_whitespace_cnt.value;
  }
  SchemaSpelling spelling{.style = style};
  for (const auto& exclude : format.excludes.value) spelling.excludes.push_back(exclude.value);
  const Node& schema = format.json_schema.value;
  if (!format.any_order.value || !schema.json().is_object()) {
    return Schema(schema, options, spelling);
  }
  Json changed = schema.json();
  Json::Object& members = changed.as_object();
  auto own = std::ranges::find(members, "x-sglrun", &Json::Member::first);
  if (own == members.end()) {
    own = members.insert(members.end(), {"x-sglrun", Json::Object()});
  }
  if (own->second.is_object() && own->second.Find("any_order") == nullptr) {
    own->second.as_object().emplace_back("any_order", true);
  }
  return Schema({changed, schema.pointer()}, options, spelling);
}

}  // namespace sglrun::grammar::tag
