// What lies beside the tokenizer itself: tokenizer_config.json and the older files that say parts
// of the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tokenizer/added_tokens.h"

namespace sglrun::tokenizer {

struct TokenizerConfig {
  std::optional<std::string> bos_token, eos_token;
  std::optional<bool> add_bos_token, add_eos_token;
  std::optional<bool> legacy;            // SentencePiece: a prefix space after every special token
  std::optional<bool> add_prefix_space;  // byte-level BPE: text begins with a space
  std::optional<std::string> tokenizer_class;
  std::vector<AddedToken> added_tokens;  // from added_tokens_decoder or added_tokens.json
  std::string chat_template;             // "" when there is none
};

// Reads tokenizer_config.json, special_tokens_map.json, added_tokens.json and chat_template.jinja
// of a directory; each may be absent. The first wins over the next two, the last over the first.
Result<TokenizerConfig> ReadTokenizerConfig(const std::string& directory);

// model_type of a directory's config.json, "" when there is none.
Result<std::string> ReadModelType(const std::string& directory);

}  // namespace sglrun::tokenizer
