// Tokenizers small enough to work out their ids by hand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tokenizer/json_view.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_json.h"

// Behind all others: its CHECK takes the place of ours.
#include <doctest/doctest.h>

namespace sglrun::tokenizer {

using Ids = std::vector<TokenId>;

// A tokenizer.json of type BPE: ids are the positions in `tokens`. `options` are further members of
// the model, `parts` further members of the file, both with a comma at the end.
inline std::string BpeJson(const std::vector<std::string>& tokens,
                           const std::vector<std::string>& merges, const std::string& options = "",
                           const std::string& parts = "") {
  std::string out = "{" + parts + "\"model\":{\"type\":\"BPE\"," + options + "\"vocab\":";
  JsonWriter writer(out);
  writer.BeginObject();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    writer.Key(tokens[i]);
    writer.Int(static_cast<std::int64_t>(i));
  }
  writer.EndObject();
  out += ",\"merges\":";
  JsonWriter list(out);
  list.BeginArray();
  for (const std::string& merge : merges) list.String(merge);
  list.EndArray();
  return out + "}}";
}

inline std::unique_ptr<Tokenizer> FromJson(std::string_view json,
                                           const TokenizerConfig& config = {}) {
  auto tokenizer = TokenizerFromJson(json, config);
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer.ok() ? "" : tokenizer.error().message));
  return std::move(tokenizer).value();
}

inline std::string Refusal(std::string_view json) {
  auto tokenizer = TokenizerFromJson(json, {});
  REQUIRE_FALSE(tokenizer.ok());
  return tokenizer.error().message;
}

inline Ids Encode(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options = {}) {
  auto ids = tokenizer.Encode(text, options);
  REQUIRE(ids.ok());
  return std::move(ids).value();
}

// Parses a literal of a test.
inline Json ToJson(std::string_view text) {
  auto parsed = ParseJson(text);
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

}  // namespace sglrun::tokenizer
