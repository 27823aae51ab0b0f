// What `sglrun grammar check` finds out about one text: whether it is a member, and whether the
// masks of allowed tokens agree with that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/matcher/matcher.h"
#include "grammar/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::cli {

struct TextReport {
  bool prefix_ok = false;
  bool accepted = false;
  std::optional<std::size_t> error_at;  // byte of the text
  // With a tokenizer.
  std::int64_t tokens = 0;
  std::optional<bool> mask_ok;
  std::vector<double> mask_us;  // before each token and before the end
};

// A tokenizer with its vocabulary.
struct TokenSide {
  explicit TokenSide(std::unique_ptr<tokenizer::Tokenizer> the_tokenizer);

  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  std::shared_ptr<const grammar::Vocabulary> vocabulary;
};

// The canonical tokens of the text, when they spell it as it stands in the middle of a text (a
// SentencePiece-like tokenizer puts a space before the first word); else the longest that fit, none
// when the vocabulary cannot spell it.
std::vector<std::int32_t> TokensOf(const std::string& text, const TokenSide& tokens);

// `start`: at the beginning of a text. `tokens`: nullptr without a tokenizer.
TextReport CheckText(const grammar::Matcher& start, const std::string& text,
                     const TokenSide* tokens);

}  // namespace sglrun::cli
