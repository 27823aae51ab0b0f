// What each format of a structural tag consists of (fields.h): the only place that knows the names
// of their fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grammar/structural_tag/fields.h"

namespace sglrun::grammar::tag {

struct ConstStringFormat {
  Placed<std::string> value;

  static constexpr std::string_view kType = "const_string";
  static constexpr auto Fields() {
    return std::tuple(Required("value", kText, &ConstStringFormat::value));
  }
};

struct JsonSchemaFormat {
  Placed<Node> json_schema;
  Placed<std::string> style{"json"};
  Placed<bool> any_order;
  Placed<std::optional<std::int64_t>> max_whitespace_cnt;
  Placed<Texts> excludes;

  static constexpr std::string_view kType = "json_schema";
  static constexpr auto Fields() {
    return std::tuple(Required("json_schema", kSchema, &JsonSchemaFormat::json_schema),
                      Optional("style", kText, &JsonSchemaFormat::style),
                      Optional("any_order", kFlag, &JsonSchemaFormat::any_order),
                      Optional("max_whitespace_cnt", kCount, &JsonSchemaFormat::max_whitespace_cnt),
                      Optional("excludes", kTexts, &JsonSchemaFormat::excludes));
  }
};

// The older name of json_schema in the style qwen_xml.
struct QwenXmlParameterFormat {
  Placed<Node> json_schema;
  Placed<bool> any_order;
  Placed<std::optional<std::int64_t>> max_whitespace_cnt;
  Placed<Texts> excludes;

  static constexpr std::string_view kType = "qwen_xml_parameter";
  static constexpr auto Fields() {
    return std::tuple(
        Required("json_schema", kSchema, &QwenXmlParameterFormat::json_schema),
        Optional("any_order", kFlag, &QwenXmlParameterFormat::any_order),
        Optional("max_whitespace_cnt", kCount, &QwenXmlParameterFormat::max_whitespace_cnt),
        Optional("excludes", kTexts, &QwenXmlParameterFormat::excludes));
  }
};

struct EbnfFormat {
  Placed<std::string> grammar;
  Placed<std::string> syntax{"ebnf"};

  static constexpr std::string_view kType = "grammar";
  static constexpr auto Fields() {
    return std::tuple(Required("grammar", kNonEmptyText, &EbnfFormat::grammar),
                      Optional("syntax", kText, &EbnfFormat::syntax));
  }
};

struct RegexFormat {
  Placed<std::string> pattern;

  static constexpr std::string_view kType = "regex";
  static constexpr auto Fields() {
    return std::tuple(Required("pattern", kNonEmptyText, &RegexFormat::pattern));
  }
};

struct AnyTextFormat {
  Placed<Texts> excludes;
  Placed<std::optional<std::int64_t>> max_tokens, max_chars;

  static constexpr std::string_view kType = "any_text";
  static constexpr auto Fields() {
    return std::tuple(Optional("excludes", kTexts, &AnyTextFormat::excludes),
                      Optional("max_tokens", kCount, &AnyTextFormat::max_tokens),
                      Optional("max_chars", kCount, &AnyTextFormat::max_chars));
  }
};

struct SequenceFormat {
  Placed<std::vector<Node>> elements;

  static constexpr std::string_view kType = "sequence";
  static constexpr auto Fields() {
    return std::tuple(Required("elements", kNonEmptyList, &SequenceFormat::elements));
  }
};

struct OrFormat {
  Placed<std::vector<Node>> elements;

  static constexpr std::string_view kType = "or";
  static constexpr auto Fields() {
    return std::tuple(Required("elements", kNonEmptyList, &OrFormat::elements));
  }
};

struct OptionalFormat {
  Placed<Node> content;

  static constexpr std::string_view kType = "optional";
  static constexpr auto Fields() {
    return std::tuple(Required("content", kFormat, &OptionalFormat::content));
  }
};

struct StarFormat {
  Placed<Node> content;

  static constexpr std::string_view kType = "star";
  static constexpr auto Fields() {
    return std::tuple(Required("content", kFormat, &StarFormat::content));
  }
};

struct PlusFormat {
  Placed<Node> content;

  static constexpr std::string_view kType = "plus";
  static constexpr auto Fields() {
    return std::tuple(Required("content", kFormat, &PlusFormat::content));
  }
};

struct RepeatFormat {
  Placed<std::int64_t> min, max;
  Placed<Node> content;

  static constexpr std::string_view kType = "repeat";
  static constexpr auto Fields() {
    return std::tuple(Required("min", kInteger, &RepeatFormat::min),
                      Required("max", kInteger, &RepeatFormat::max),
                      Required("content", kFormat, &RepeatFormat::content));
  }
};

struct TagFormat {
  Placed<Node> begin, content, end;

  static constexpr std::string_view kType = "tag";
  static constexpr auto Fields() {
    return std::tuple(Required("begin", kTextOrToken, &TagFormat::begin),
                      Required("content", kFormat, &TagFormat::content),
                      Required("end", kEnds, &TagFormat::end));
  }
};

struct TriggeredTagsFormat {
  Placed<Texts> triggers;
  Placed<std::vector<Node>> tags;
  Placed<bool> at_least_one, stop_after_first;
  Placed<Texts> excludes;

  static constexpr std::string_view kType = "triggered_tags";
  static constexpr auto Fields() {
    return std::tuple(Required("triggers", kNonEmptyTexts, &TriggeredTagsFormat::triggers),
                      Required("tags", kNonEmptyList, &TriggeredTagsFormat::tags),
                      Optional("at_least_one", kFlag, &TriggeredTagsFormat::at_least_one),
                      Optional("stop_after_first", kFlag, &TriggeredTagsFormat::stop_after_first),
                      Optional("excludes", kTexts, &TriggeredTagsFormat::excludes));
  }
};

struct TagsWithSeparatorFormat {
  Placed<std::vector<Node>> tags;
  Placed<std::string> separator;
  Placed<bool> at_least_one, stop_after_first;

  static constexpr std::string_view kType = "tags_with_separator";
  static constexpr auto Fields() {
    return std::tuple(
        Required("tags", kNonEmptyList, &TagsWithSeparatorFormat::tags),
        Required("separator", kText, &TagsWithSeparatorFormat::separator),
        Optional("at_least_one", kFlag, &TagsWithSeparatorFormat::at_least_one),
        Optional("stop_after_first", kFlag, &TagsWithSeparatorFormat::stop_after_first));
  }
};

struct DispatchFormat {
  Placed<std::vector<Node>> rules;
  Placed<bool> loop{true};
  Placed<Texts> excludes;

  static constexpr std::string_view kType = "dispatch";
  static constexpr auto Fields() {
    return std::tuple(Required("rules", kList, &DispatchFormat::rules),
                      Optional("loop", kFlag, &DispatchFormat::loop),
                      Optional("excludes", kTexts, &DispatchFormat::excludes));
  }
};

struct TokenFormat {
  Placed<Node> token;

  static constexpr std::string_view kType = "token";
  static constexpr auto Fields() {
    return std::tuple(Required("token", kToken, &TokenFormat::token));
  }
};

struct ExcludeTokenFormat {
  Placed<std::vector<Node>> exclude_tokens;

  static constexpr std::string_view kType = "exclude_token";
  static constexpr auto Fields() {
    return std::tuple(Optional("exclude_tokens", kList, &ExcludeTokenFormat::exclude_tokens));
  }
};

struct AnyTokensFormat {
  Placed<std::vector<Node>> exclude_tokens;
  Placed<std::optional<std::int64_t>> max_tokens;

  static constexpr std::string_view kType = "any_tokens";
  static constexpr auto Fields() {
    return std::tuple(Optional("exclude_tokens", kList, &AnyTokensFormat::exclude_tokens),
                      Optional("max_tokens", kCount, &AnyTokensFormat::max_tokens));
  }
};

struct TokenTriggeredTagsFormat {
  Placed<std::vector<Node>> trigger_tokens, tags, exclude_tokens;
  Placed<bool> at_least_one, stop_after_first;

  static constexpr std::string_view kType = "token_triggered_tags";
  static constexpr auto Fields() {
    return std::tuple(
        Required("trigger_tokens", kNonEmptyList, &TokenTriggeredTagsFormat::trigger_tokens),
        Required("tags", kNonEmptyList, &TokenTriggeredTagsFormat::tags),
        Optional("exclude_tokens", kList, &TokenTriggeredTagsFormat::exclude_tokens),
        Optional("at_least_one", kFlag, &TokenTriggeredTagsFormat::at_least_one),
        Optional("stop_after_first", kFlag, &TokenTriggeredTagsFormat::stop_after_first));
  }
};

struct TokenDispatchFormat {
  Placed<std::vector<Node>> rules;
  Placed<bool> loop{true};
  Placed<std::vector<Node>> exclude_tokens;

  static constexpr std::string_view kType = "token_dispatch";
  static constexpr auto Fields() {
    return std::tuple(Required("rules", kList, &TokenDispatchFormat::rules),
                      Optional("loop", kFlag, &TokenDispatchFormat::loop),
                      Optional("exclude_tokens", kList, &TokenDispatchFormat::exclude_tokens));
  }
};

// Every format, in the order in which a sentence lists those that fit.
using AllFormats =
    std::tuple<ConstStringFormat, JsonSchemaFormat, QwenXmlParameterFormat, EbnfFormat, RegexFormat,
               AnyTextFormat, SequenceFormat, OrFormat, OptionalFormat, StarFormat, PlusFormat,
               RepeatFormat, TagFormat, TriggeredTagsFormat, TagsWithSeparatorFormat,
               DispatchFormat, TokenFormat, ExcludeTokenFormat, AnyTokensFormat,
               TokenTriggeredTagsFormat, TokenDispatchFormat>;

// The document around the formats, of either shape.
struct TypedDocument {
  Placed<Node> format, structures;  // the latter null at most

  static constexpr std::string_view kType = "structural_tag";
  static constexpr auto Fields() {
    return std::tuple(Required("format", kFormat, &TypedDocument::format),
                      Optional("structures", kNull, &TypedDocument::structures));
  }
};

struct LegacyDocument {
  Placed<std::vector<Node>> structures;
  Placed<Texts> triggers;
  Placed<bool> at_least_one;
  Placed<Node> format;  // null at most

  static constexpr std::string_view kType = "structural_tag";
  static constexpr auto Fields() {
    return std::tuple(Required("structures", kNonEmptyList, &LegacyDocument::structures),
                      Required("triggers", kNonEmptyTexts, &LegacyDocument::triggers),
                      Optional("at_least_one", kFlag, &LegacyDocument::at_least_one),
                      Optional("format", kNull, &LegacyDocument::format));
  }
};

struct LegacyStructure {
  Placed<std::string> begin;
  Placed<Node> schema;
  Placed<std::string> end;

  static constexpr auto Fields() {
    return std::tuple(Required("begin", kText, &LegacyStructure::begin),
                      Optional("schema", kSchema, &LegacyStructure::schema),
                      Required("end", kText, &LegacyStructure::end));
  }
};

}  // namespace sglrun::grammar::tag
