// Small values that several components of a tokenizer.json share.
#pragma once

#include "tokenizer/json_view.h"
#include "tokenizer/regex.h"

namespace sglrun::tokenizer {

// {"String": "a"} or {"Regex": "a+"}.
Result<Regex> ParsePattern(const JsonView& json);

// A string of exactly one character.
Result<char32_t> ParseCharacter(const JsonView& json);

// Metaspace, as pre-tokenizer and as decoder.
struct MetaspaceOptions {
  std::string replacement;     // one character, usually U+2581
  std::string prepend_scheme;  // "always", "first" or "never"
  bool split = true;
};
Result<MetaspaceOptions> ParseMetaspaceOptions(const JsonView& json);

}  // namespace sglrun::tokenizer
