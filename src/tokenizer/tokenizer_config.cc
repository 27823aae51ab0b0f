#include "tokenizer/tokenizer_config.h"

#include <charconv>
#include <filesystem>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/utf8.h"
#include "tokenizer/is_there.h"
#include "tokenizer/json_view.h"
#include "tokenizer/read_json.h"

namespace sglrun::tokenizer {
namespace {

// A token is written as its text or as an object with "content"; null means none.
Status ReadTokenText(const JsonView& json, std::string_view key, std::optional<std::string>& out) {
  if (out || !json.Has(key)) return {};
  SGLRUN_ASSIGN_OR_RETURN(JsonView token, json.Member(key));
  if (token.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(token, token.Member("content"));
  }
  SGLRUN_ASSIGN_OR_RETURN(out, token.String());
  return {};
}

Status ReadFlag(const JsonView& json, std::string_view key, std::optional<bool>& out) {
  if (!json.Has(key)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const JsonView flag, json.Member(key));
  SGLRUN_ASSIGN_OR_RETURN(out, flag.Bool());
  return {};
}

// A template, or a list of named ones of which "default" is meant.
Status ReadTemplate(const JsonView& json, std::string& out) {
  if (!json.Has("chat_template")) return {};
  SGLRUN_ASSIGN_OR_RETURN(const JsonView text, json.Member("chat_template"));
  if (!text.json().is_array()) {
    SGLRUN_ASSIGN_OR_RETURN(out, text.String());
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> named, text.Elements());
  for (const JsonView& entry : named) {
    SGLRUN_ASSIGN_OR_RETURN(const std::string name, entry.StringOr("name", ""));
    if (name != "default") continue;
    SGLRUN_ASSIGN_OR_RETURN(out, entry.StringOr("template", ""));
  }
  return {};
}

// {"0": {"content": "<unk>", ...}, ...}
Status ReadAddedTokensDecoder(const JsonView& json, std::vector<AddedToken>& out) {
  if (!json.Has("added_tokens_decoder")) return {};
  SGLRUN_ASSIGN_OR_RETURN(const JsonView table, json.Member("added_tokens_decoder"));
  if (!table.json().is_object()) return table.Expected("an object");
  for (const auto& [key, value] : table.json().as_object()) {
    const JsonView entry(value, table.path() + "." + key);
    SGLRUN_ASSIGN_OR_RETURN(AddedToken token, ParseAddedToken(entry));
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (error != std::errc() || end != key.data() + key.size()) {
      return Error{table.path() + " has the key \"" + key + "\", must be a token id"};
    }
    out.push_back(std::move(token));
  }
  return {};
}

// added_tokens.json: {"<|im_end|>": 32000, ...}
Status ReadAddedTokens(const JsonView& json, std::vector<AddedToken>& out) {
  if (!json.json().is_object()) return json.Expected("an object");
  for (const auto& [text, value] : json.json().as_object()) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t id, JsonView(value, text).Int());
    out.push_back({.content = text, .id = id, .special = true});
  }
  return {};
}

Status ReadMainFile(const JsonView& json, TokenizerConfig& config) {
  if (!json.json().is_object()) return json.Expected("an object");
  SGLRUN_RETURN_IF_ERROR(ReadTokenText(json, "bos_token", config.bos_token));
  SGLRUN_RETURN_IF_ERROR(ReadTokenText(json, "eos_token", config.eos_token));
  SGLRUN_RETURN_IF_ERROR(ReadFlag(json, "add_bos_token", config.add_bos_token));
  SGLRUN_RETURN_IF_ERROR(ReadFlag(json, "add_eos_token", config.add_eos_token));
  SGLRUN_RETURN_IF_ERROR(ReadFlag(json, "legacy", config.legacy));
  SGLRUN_RETURN_IF_ERROR(ReadFlag(json, "add_prefix_space", config.add_prefix_space));
  SGLRUN_RETURN_IF_ERROR(ReadTokenText(json, "tokenizer_class", config.tokenizer_class));
  SGLRUN_RETURN_IF_ERROR(ReadAddedTokensDecoder(json, config.added_tokens));
  return ReadTemplate(json, config.chat_template);
}

Status ReadSpecialTokensMap(const JsonView& json, TokenizerConfig& config) {
  SGLRUN_RETURN_IF_ERROR(ReadTokenText(json, "bos_token", config.bos_token));
  return ReadTokenText(json, "eos_token", config.eos_token);
}

// Lets `read` see the file, if it is there.
template <class Read>
Status ReadIfPresent(const std::filesystem::path& path, Read read) {
  if (!IsThere(path)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string()));
  SGLRUN_ASSIGN_OR_RETURN(const Json json, ReadJson(text, path.string()));
  const Status status = read(JsonView(json, ""));
  if (!status.ok()) return Error{path.string() + ": " + status.error().message};
  return {};
}

}  // namespace

Result<TokenizerConfig> ReadTokenizerConfig(const std::string& directory) {
  const std::filesystem::path folder(directory);
  TokenizerConfig config;
  SGLRUN_RETURN_IF_ERROR(ReadIfPresent(folder / "tokenizer_config.json", [&](const JsonView& json) {
    return ReadMainFile(json, config);
  }));
  SGLRUN_RETURN_IF_ERROR(
      ReadIfPresent(folder / "special_tokens_map.json",
                    [&](const JsonView& json) { return ReadSpecialTokensMap(json, config); }));
  if (config.added_tokens.empty()) {
    SGLRUN_RETURN_IF_ERROR(ReadIfPresent(folder / "added_tokens.json", [&](const JsonView& json) {
      return ReadAddedTokens(json, config.added_tokens);
    }));
  }
  const std::filesystem::path jinja = folder / "chat_template.jinja";
  if (IsThere(jinja)) {
    SGLRUN_ASSIGN_OR_RETURN(config.chat_template, ReadFile(jinja.string()));
    if (!IsValidUtf8(config.chat_template)) return Error{jinja.string() + " is not valid UTF-8"};
  }
  return config;
}

Result<std::string> ReadModelType(const std::string& directory) {
  std::string type;
  SGLRUN_RETURN_IF_ERROR(ReadIfPresent(
      std::filesystem::path(directory) / "config.json", [&](const JsonView& json) -> Status {
        if (!json.json().is_object()) return json.Expected("an object");
        SGLRUN_ASSIGN_OR_RETURN(type, json.StringOr("model_type", ""));
        return {};
      }));
  return type;
}

}  // namespace sglrun::tokenizer
