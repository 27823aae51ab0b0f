#include "tokenizer/parts.h"

#include <algorithm>

namespace sglrun::tokenizer {
namespace {

// The id of a special token, which becomes one if it was not.
Result<std::optional<TokenId>> SpecialToken(const std::optional<std::string>& configured,
                                            std::string_view otherwise, TokenizerParts& parts) {
  const std::string text = configured.value_or(std::string(otherwise));
  if (text.empty()) return std::optional<TokenId>();
  std::optional<TokenId> id = parts.vocabulary.Find(text);
  if (!id && !configured) return id;
  if (!id) {
    id = parts.vocabulary.size();
    SGLRUN_RETURN_IF_ERROR(parts.vocabulary.Add(text, *id));
  }
  const auto known = std::find_if(parts.added_tokens.begin(), parts.added_tokens.end(),
                                  [&](const AddedToken& token) { return token.id == *id; });
  if (known != parts.added_tokens.end()) {
    known->special = true;
  } else {
    parts.added_tokens.push_back({.content = text, .id = *id, .special = true});
  }
  return id;
}

}  // namespace

Status AddToVocabulary(std::span<const AddedToken> tokens, Vocabulary& vocabulary) {
  for (const AddedToken& token : tokens) {
    if (vocabulary.Find(token.content) == token.id) continue;
    const Status added = vocabulary.Add(token.content, token.id);
    if (!added.ok()) return Error{"added_tokens: " + added.error().message};
  }
  return {};
}

Status ApplyConfig(const TokenizerConfig& config, const DefaultEnds& defaults,
                   TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(parts.bos_id, SpecialToken(config.bos_token, defaults.bos, parts));
  SGLRUN_ASSIGN_OR_RETURN(parts.eos_id, SpecialToken(config.eos_token, defaults.eos, parts));
  if (config.add_bos_token.value_or(defaults.add_bos)) {
    if (!parts.bos_id)
      return Error{"bos_token is to be added to texts, but the tokenizer has none"};
    parts.post_processor.prefix.push_back(*parts.bos_id);
  }
  if (config.add_eos_token.value_or(false)) {
    if (!parts.eos_id)
      return Error{"eos_token is to be added to texts, but the tokenizer has none"};
    parts.post_processor.suffix.push_back(*parts.eos_id);
  }
  parts.chat_template = config.chat_template;
  return {};
}

}  // namespace sglrun::tokenizer
