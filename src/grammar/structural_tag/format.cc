#include "grammar/structural_tag/format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace sglrun::grammar::tag {
namespace {

// Every so many formats inside each other become a rule of their own, so that expressions stay
// shallow (front_end.h).
constexpr int kFormatsPerRule = 32;

// Whether a text of the format can be empty, as far as its fields tell at once; true when unsure.
bool MayBeEmpty(const Node& node) {
  constexpr std::array<std::string_view, 2> kNever = {"token", "exclude_token"};
  if (!node.HasValue("type")) return true;
  const Node type = node.Member("type");
  if (type.Is("json_schema")) return node.Has("style") && !node.Member("style").Is("json");
  if (type.Is("const_string")) return !node.Has("value") || node.Member("value").Is("");
  if (type.Is("tag")) return !node.Has("begin") || node.Member("begin").Is("");
  return std::ranges::none_of(kNever, [&](std::string_view name) { return type.Is(name); });
}

}  // namespace

struct Builder::Type {
  std::string_view name;
  Fn build;
  std::vector<std::string_view> required;
  std::vector<std::string_view> others = {};

  std::vector<std::string_view> fields() const {
    std::vector<std::string_view> all = required;
    all.insert(all.end(), others.begin(), others.end());
    all.push_back("type");
    return all;
  }
};

std::span<const Builder::Type> Builder::Types() {
  static const std::vector<Type> types = {
      {"const_string", &Builder::ConstString, {"value"}},
      {"json_schema",
       &Builder::JsonSchema,
       {"json_schema"},
       {"style", "any_order", "max_whitespace_cnt"}},
      {"qwen_xml_parameter",
       &Builder::QwenXml,
       {"json_schema", "type"},
       {"any_order", "max_whitespace_cnt"}},
      {"grammar", &Builder::Ebnf, {"grammar"}},
      {"regex", &Builder::Regex, {"pattern"}},
      {"any_text", &Builder::AnyText, {}, {"excludes", "max_tokens", "max_chars"}},
      {"sequence", &Builder::Sequence, {"elements"}},
      {"or", &Builder::Or, {"elements"}},
      {"optional", &Builder::Optional, {"content"}},
      {"star", &Builder::Star, {"content"}},
      {"plus", &Builder::Plus, {"content"}},
      {"repeat", &Builder::Repeat, {"min", "max", "content"}},
      {"tag", &Builder::Tag, {"begin", "content", "end"}},
      {"triggered_tags",
       &Builder::TextTriggeredTags,
       {"triggers", "tags"},
       {"at_least_one", "stop_after_first", "excludes"}},
      {"tags_with_separator",
       &Builder::TagsWithSeparator,
       {"tags", "separator"},
       {"at_least_one", "stop_after_first"}},
      {"dispatch", &Builder::Dispatch, {"rules"}, {"loop", "excludes"}},
      {"token", &Builder::Token, {"token"}},
      {"exclude_token", &Builder::ExcludeToken, {}, {"exclude_tokens"}},
      {"any_tokens", &Builder::AnyTokens, {}, {"exclude_tokens", "max_tokens"}},
      {"token_triggered_tags",
       &Builder::TokenTriggeredTags,
       {"trigger_tokens", "tags"},
       {"exclude_tokens", "at_least_one", "stop_after_first"}},
      {"token_dispatch", &Builder::TokenRules, {"rules"}, {"loop", "exclude_tokens"}},
  };
  return types;
}

// The type that is named, or the only one that has all the fields.
Result<const Builder::Type*, GrammarError> Builder::TypeOf(const Node& node) const {
  if (!node.json().is_object()) return node.Expected("an object (a format)");
  if (node.Has("type")) {
    const Node name = node.Member("type");
    SGLRUN_ASSIGN_OR_RETURN(const std::string type, name.AsText());
    std::vector<std::string_view> known;
    for (const Type& candidate : Types()) {
      if (candidate.name == type) return &candidate;
      known.push_back(candidate.name);
    }
    const std::string near = NearestName(type, known);
    return name.Invalid("there is no format \"" + type + "\"" +
                        (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
  }
  const Type* only = nullptr;
  for (const Type& candidate : Types()) {
    const auto fields = candidate.fields();
    const bool fits =
        std::ranges::all_of(candidate.required, [&](auto name) { return node.Has(name); }) &&
        std::ranges::all_of(node.json().as_object(), [&](const Json::Member& member) {
          return std::ranges::find(fields, member.first) != fields.end();
        });
    if (!fits) continue;
    if (only != nullptr) {
      return node.Invalid("the field \"type\" is missing; the other fields fit \"" +
                          std::string(only->name) + "\" and \"" + std::string(candidate.name) +
                          "\"");
    }
    only = &candidate;
  }
  if (only == nullptr) {
    return node.Invalid("the field \"type\" is missing and the other fields fit no format");
  }
  return only;
}

ExprResult Builder::Format(const Node& node, const Around& around) {
  SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("reading a structural tag"));
  SGLRUN_ASSIGN_OR_RETURN(const Type* type, TypeOf(node));
  SGLRUN_RETURN_IF_ERROR(node.AllowMembers(type->fields()));
  ++depth_;
  ExprResult expr = (this->*type->build)(node, around);
  --depth_;
  if (!expr.ok()) return expr;
  if (front_.grammar.node_count() > front_.budget.limits().nodes) {
    return node.Error(
        Verdict::kTooLarge,
        "the grammar has more than " + std::to_string(front_.budget.limits().nodes) + " parts");
  }
  if (depth_ % kFormatsPerRule != kFormatsPerRule - 1) return expr;
  const RuleId rule = front_.grammar.AddRule(node.pointer());
  front_.grammar.Define(rule, *expr);
  return front_.grammar.Call(rule);
}

ExprResult Builder::ConstString(const Node& node, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, node.Text("value"));
  return front_.grammar.Bytes(text);
}

ExprResult Builder::Schema(const Node* schema, const GrammarOptions& options, JsonStyle style) {
  FrontEnd inner{front_.grammar, options, front_.vocabulary, front_.budget, front_.report};
  if (schema == nullptr) return AppendJsonSchema(inner, "{}", "", style);
  const Json& json = schema->json();
  if (!json.is_object() && !json.is_bool()) return schema->Expected("a schema (object or boolean)");
  return AppendJsonSchema(inner, json.Dump(), schema->pointer(), style);
}

ExprResult Builder::JsonSchema(const Node& node, const Around&) {
  if (node.Has("style")) {
    constexpr std::array<std::string_view, 5> kOthers = {"minimax_xml", "deepseek_xml", "glm_xml",
                                                         "cohere_xml", "kimi_k3_xml"};
    const Node style = node.Member("style");
    SGLRUN_ASSIGN_OR_RETURN(const std::string name, style.AsText());
    if (std::ranges::find(kOthers, name) != kOthers.end()) {
      return style.Error(
          Verdict::kUnsupported,
          "the style \"" + name + "\" is not offered, \"json\" and \"qwen_xml\" are");
    }
    if (name == "qwen_xml") return StyledSchema(node, JsonStyle::kParameters);
    if (name != "json") return style.Invalid("there is no style \"" + name + "\"");
  }
  return StyledSchema(node, JsonStyle::kJson);
}

ExprResult Builder::QwenXml(const Node& node, const Around&) {
  return StyledSchema(node, JsonStyle::kParameters);
}

ExprResult Builder::StyledSchema(const Node& node, JsonStyle style) {
  SGLRUN_ASSIGN_OR_RETURN(const bool any_order, node.Flag("any_order", false));
  SGLRUN_ASSIGN_OR_RETURN(const auto whitespace, node.Count("max_whitespace_cnt"));
  GrammarOptions options = front_.options;
  if (whitespace) options.json_max_whitespace = *whitespace;
  if (!node.HasValue("json_schema")) return Schema(nullptr, options, style);
  const Node schema = node.Member("json_schema");
  if (!any_order || !schema.json().is_object()) return Schema(&schema, options, style);
  Json changed = schema.json();
  Json::Object& members = changed.as_object();
  auto own = std::ranges::find(members, "x-sglrun", &Json::Member::first);
  if (own == members.end()) {
    own = members.insert(members.end(), {"x-sglrun", Json::Object()});
  }
  if (own->second.is_object() && own->second.Find("any_order") == nullptr) {
    own->second.as_object().emplace_back("any_order", true);
  }
  const Node with_order(changed, schema.pointer());
  return Schema(&with_order, options, style);
}

ExprResult Builder::Ebnf(const Node& node, const Around&) {
  const Node member = node.Member("grammar");
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, member.AsNonEmptyText());
  ExprResult expr = AppendEbnf(front_, text);
  if (!expr.ok()) return member.Within(expr.error());
  return expr;
}

ExprResult Builder::Regex(const Node& node, const Around&) {
  const Node member = node.Member("pattern");
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, member.AsNonEmptyText());
  ExprResult expr = AppendRegex(front_, text);
  if (!expr.ok()) return member.Within(expr.error());
  return expr;
}

ExprResult Builder::Content(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const Node content, node.Require("content"));
  return Format(content, around);
}

ExprResult Builder::Sequence(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto elements, node.List("elements"));
  std::vector<ExprId> items(elements.size());
  // From the last: an element stands before the end when all after it may be empty.
  Around here = around;
  for (std::size_t i = elements.size(); i-- > 0;) {
    SGLRUN_ASSIGN_OR_RETURN(items[i], Format(elements[i], here));
    if (!MayBeEmpty(elements[i])) here.before_end = false;
  }
  return front_.grammar.Sequence(std::move(items));
}

ExprResult Builder::Or(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto elements, node.List("elements"));
  std::vector<ExprId> items;
  for (const Node& element : elements) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId item, Format(element, around));
    items.push_back(item);
  }
  return front_.grammar.Choice(std::move(items));
}

ExprResult Builder::Optional(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Content(node, around));
  return front_.grammar.Optional(content);
}

ExprResult Builder::Star(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Content(node, around));
  return front_.grammar.Repeat(content, 0, kUnbounded);
}

ExprResult Builder::Plus(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Content(node, around));
  return front_.grammar.Repeat(content, 1, kUnbounded);
}

ExprResult Builder::Repeat(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t min, node.Integer("min"));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t max, node.Integer("max"));
  if (min < 0) return node.Member("min").Expected("a number that is not negative");
  if (max < -1) return node.Member("max").Expected("a number that is not negative, or -1");
  if (max != -1 && max < min) {
    return node.Member("max").Invalid("the maximum " + std::to_string(max) +
                                      " is below the minimum " + std::to_string(min));
  }
  const std::int64_t most = front_.budget.limits().repetition;
  if (std::max(min, max) > most) {
    return node.Error(Verdict::kTooLarge,
                      "a repetition may have bounds up to " + std::to_string(most));
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Content(node, around));
  if (max == 0) return front_.grammar.Empty();
  return front_.grammar.Repeat(content, min, max == -1 ? kUnbounded : max);
}

}  // namespace sglrun::grammar::tag
