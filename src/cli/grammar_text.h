// What `sglrun grammar check` finds out about one text: whether it is a member, and whether the
// masks of allowed tokens agree with that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/compiled_grammar.h"
#include "grammar/matcher/matcher.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::cli {

struct TextReport {
  // None: cannot be told without a tokenizer, or a limit was passed before it could.
  std::optional<bool> prefix_ok, accepted;
  std::optional<std::size_t> error_at;  // byte of the text
  std::string message;                  // which limit of the matcher ended the check; else ""
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
  // Tokens that are no text, by what the tokenizer's file calls them, the longest first.
  std::vector<std::pair<std::string, std::int32_t>> specials;
};

// The canonical tokens of the text, when they spell it as it stands in the middle of a text (a
// SentencePiece-like tokenizer puts a space before the first word); else the longest that fit, none
// when the vocabulary cannot spell it.
std::vector<std::int32_t> TokensOf(std::string_view text, const TokenSide& tokens);
// The same, but names of special tokens (<|im_end|>) stand for these tokens.
std::vector<std::int32_t> TokensWithSpecials(std::string_view text, const TokenSide& tokens);

// `grammar` from the beginning of a text. `tokens`: nullptr without a tokenizer. Where the grammar
// has token elements, bytes say nothing: the text is read with the names of special tokens.
TextReport CheckText(const std::shared_ptr<const grammar::CompiledGrammar>& grammar,
                     const grammar::Matcher& start, const std::string& text,
                     const TokenSide* tokens);

// What the verdict on texts leaves out without a tokenizer; "" when that is nothing.
std::string LimitOfBytes(const grammar::CompiledGrammar& grammar);

}  // namespace sglrun::cli
