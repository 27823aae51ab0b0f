#include "grammar/base/json_text.h"

#include <algorithm>
#include <vector>

namespace sglrun::grammar {
namespace {

void AppendKey(std::string& out, const Json& value);

void AppendObjectKey(std::string& out, const Json::Object& object) {
  std::vector<const Json::Member*> members;
  members.reserve(object.size());
  for (const Json::Member& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  out += '{';
  for (const Json::Member* member : members) {
    AppendJsonString(out, member->first);
    out += ':';
    AppendKey(out, member->second);
    out += ',';
  }
  out += '}';
}

void AppendKey(std::string& out, const Json& value) {
  if (value.is_number()) {
    const Result<Decimal, GrammarError> decimal = DecimalOf(value);
    // Absurd exponents stay as written; such a number equals no other that can be spelled.
    out += decimal.ok() ? decimal->Canonical() : value.Dump();
  } else if (value.is_array()) {
    out += '[';
    for (const Json& item : value.as_array()) {
      AppendKey(out, item);
      out += ',';
    }
    out += ']';
  } else if (value.is_object()) {
    AppendObjectKey(out, value.as_object());
  } else {
    out += value.Dump();
  }
}

}  // namespace

Result<ParsedJson, GrammarError> ParseSchemaText(std::string_view text, const Limits& limits) {
  if (text.size() > limits.text_bytes) {
    return GrammarError{Verdict::kTooLarge, "the schema has " + std::to_string(text.size()) +
                                                " bytes, at most " +
                                                std::to_string(limits.text_bytes) + " are allowed"};
  }
  Result<ParsedJson, JsonError> parsed =
      ParseJson(text, {.max_depth = limits.nesting, .keep_number_text = true});
  if (parsed.ok()) return std::move(parsed).value();
  const JsonError& error = parsed.error();
  return GrammarError{error.too_deep ? Verdict::kTooLarge : Verdict::kInvalid,
                      "the schema cannot be read as JSON: " + error.message + " at byte " +
                          std::to_string(error.offset)};
}

Result<Decimal, GrammarError> DecimalOf(const Json& number) {
  return Decimal::Parse(number.Dump());
}

std::string EqualityKey(const Json& value) {
  std::string key;
  AppendKey(key, value);
  return key;
}

}  // namespace sglrun::grammar
