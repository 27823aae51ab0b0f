#include "tokenizer/read_json.h"

namespace sglrun::tokenizer {

Result<Json> ReadJson(std::string_view text, const std::string& name) {
  Result<ParsedJson, JsonError> parsed = ParseJson(text);
  if (!parsed.ok()) {
    return Error{name + ": byte " + std::to_string(parsed.error().offset) + ": " +
                 parsed.error().message};
  }
  if (!parsed->duplicate_keys.empty()) {
    return Error{name + ": the key \"" + parsed->duplicate_keys[0] +
                 "\" occurs twice in an object"};
  }
  return std::move(parsed->value);
}

}  // namespace sglrun::tokenizer
