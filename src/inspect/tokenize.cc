#include "inspect/tokenize.h"

#include <optional>

#include "base/utf8.h"
#include "console/jsonl_filter.h"
#include "request/read_value.h"
#include "serve/load.h"
#include "tokenizer/space_cleaning.h"

namespace sglrun::inspect {
namespace {

using tokenizer::TokenId;
using tokenizer::Tokenizer;

// The member `name` or the line itself when it is no object; nothing else may be there but `flag`.
Result<const Json*, RecordError> ValueOf(const Json& line, std::string_view name,
                                         std::string_view flag) {
  if (!line.is_object()) return &line;
  for (const auto& [key, value] : line.as_object()) {
    if (key != name && key != flag) {
      return RecordError{"unknown field \"" + key + "\"; known are " + std::string(name) + " and " +
                             std::string(flag),
                         key};
    }
  }
  const Json* value = line.Find(name);
  if (value == nullptr) return RecordError{std::string(name) + " is missing", std::string(name)};
  return value;
}

Result<bool, RecordError> FlagOf(const Json& line, std::string_view name, bool standard) {
  const Json* value = line.is_object() ? line.Find(name) : nullptr;
  if (value == nullptr || value->is_null()) return standard;
  if (value->is_bool()) return value->as_bool();
  return RecordError{std::string(name) + " is " + value->KindName() + ", must be a boolean",
                     std::string(name)};
}

Result<void, RecordError> TokenizeLine(const Tokenizer& tokenizer, bool count, const Json& line,
                                       JsonWriter& out) {
  SGLRUN_ASSIGN_OR_RETURN(const Json* text, ValueOf(line, "text", "add_special_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const bool add_special, FlagOf(line, "add_special_tokens", true));
  if (!text->is_string()) return request::BadValue("text", text->KindName(), "a string");
  const Result<std::vector<TokenId>> ids =
      tokenizer.Encode(text->as_string(), {.add_special_tokens = add_special});
  if (!ids.ok()) return RecordError{ids.error().message, "text"};
  out.BeginObject();
  if (count) {
    out.Key("count");
    out.Int(static_cast<std::int64_t>(ids->size()));
  } else {
    out.Key("input_ids");
    out.BeginArray();
    for (const TokenId id : *ids) out.Int(id);
    out.EndArray();
    out.Key("tokens");
    out.BeginArray();
    for (const TokenId id : *ids) out.String(ToValidUtf8(tokenizer.TokenName(id)));
    out.EndArray();
  }
  out.EndObject();
  return {};
}

Result<void, RecordError> DetokenizeLine(const TokenizeSettings& settings,
                                         const Tokenizer& tokenizer, const Json& line,
                                         JsonWriter& out) {
  SGLRUN_ASSIGN_OR_RETURN(const Json* value, ValueOf(line, "input_ids", "skip_special_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const bool skip_special, FlagOf(line, "skip_special_tokens", false));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<TokenId> ids,
                          request::ReadTokenIds(*value, "input_ids", tokenizer.vocab_size()));
  std::string text = tokenizer.Decode(ids, skip_special);
  if (settings.clean_up_spaces) text = tokenizer::CleanUpTokenizationSpaces(std::move(text));
  out.BeginObject();
  out.Key("text");
  out.String(text);
  out.EndObject();
  return {};
}

}  // namespace

Result<int> RunTokenize(const TokenizeSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<Tokenizer> tokenizer,
                          serve::LoadTokenizer(settings.serve));
  return console::FilterJsonLines({.input = settings.input},
                                  [&](const Json& line, JsonWriter& out) {
                                    return TokenizeLine(*tokenizer, settings.count, line, out);
                                  });
}

Result<int> RunDetokenize(const TokenizeSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<Tokenizer> tokenizer,
                          serve::LoadTokenizer(settings.serve));
  return console::FilterJsonLines({.input = settings.input},
                                  [&](const Json& line, JsonWriter& out) {
                                    return DetokenizeLine(settings, *tokenizer, line, out);
                                  });
}

}  // namespace sglrun::inspect
