// The result of `sglrun grammar check` for one text: whether it is a member, and whether the
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

namespace sglrun::grammar_tools {

struct TextReport {
  // None: unknown without a tokenizer, or a limit was exceeded before.
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
  // Tokens without text by their names in the tokenizer's file, longest first.
  std::vector<std::pair<std::string, std::int32_t>> specials;
};

// The tokenizer's tokens of the text, if they spell it exactly (a SentencePiece-like tokenizer puts
// a space before the first word). Otherwise the longest tokens that match; none if the vocabulary
// cannot spell the text.
std::vector<std::int32_t> TokensOf(std::string_view text, const TokenSide& tokens);
// The same, but names of special tokens (<|im_end|>) stand for these tokens.
std::vector<std::int32_t> TokensWithSpecials(std::string_view text, const TokenSide& tokens);

// `grammar` at the beginning of a text. `tokens`: nullptr without a tokenizer. If the grammar has
// token elements, the bytes alone decide nothing: the text is read with the names of special
// tokens.
TextReport CheckText(const std::shared_ptr<const grammar::CompiledGrammar>& grammar,
                     const grammar::Matcher& start, const std::string& text,
                     const TokenSide* tokens);

// What cannot be checked without a tokenizer; "" if everything can be.
std::string LimitOfBytes(const grammar::CompiledGrammar& grammar);

}  // namespace sglrun::grammar_tools
