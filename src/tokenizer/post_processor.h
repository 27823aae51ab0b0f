// The post-processor of a tokenizer.json: the special tokens before and after the ids of a text.
#pragma once

#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/vocabulary.h"

namespace sglrun::tokenizer {

struct PostProcessor {
  std::vector<TokenId> prefix;
  std::vector<TokenId> suffix;

  // `json` may be null. Ids that are no tokens of `vocabulary` are refused.
  static Result<PostProcessor> Parse(const JsonView& json, const Vocabulary& vocabulary);
};

}  // namespace sglrun::tokenizer
