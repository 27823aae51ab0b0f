// Models that look whole words up: WordLevel, and WordPiece, which cuts a word into the longest
// tokens from left to right.
#pragma once

#include <optional>
#include <string>

#include "tokenizer/json_view.h"
#include "tokenizer/piece_trie.h"
#include "tokenizer/text_model.h"

namespace sglrun::tokenizer {

class WordLevelModel final : public TextModel {
 public:
  WordLevelModel(Vocabulary vocabulary, std::string unk_token);

  Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const override;
  std::string Name() const override { return "WordLevel"; }

 private:
  Vocabulary vocabulary_;
  std::string unk_token_;
  std::optional<TokenId> unk_id_;  // none: a word that is no token is an error
};

struct WordPieceOptions {
  std::string unk_token;
  std::string continuing_subword_prefix = "##";  // of tokens that do not begin a word
  std::int64_t max_input_chars_per_word = 100;   // longer words are unknown
};

class WordPieceModel final : public TextModel {
 public:
  WordPieceModel(const Vocabulary& vocabulary, WordPieceOptions options);

  Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const override;
  std::string Name() const override { return "WordPiece"; }

 private:
  // False, with nothing appended, when the word cannot be cut.
  bool EncodeWord(std::string_view word, std::vector<TokenId>& out) const;

  WordPieceOptions options_;
  std::optional<TokenId> unk_id_;
  PieceTrie trie_;
  PieceTrie::Node continuing_;  // where tokens that do not begin a word hang
};

struct ParsedWordPiece {
  Vocabulary vocabulary;
  WordPieceOptions options;
};
Result<ParsedWordPiece> ParseWordPieceModel(const JsonView& json);

struct ParsedWordLevel {
  Vocabulary vocabulary;
  std::string unk_token;
};
Result<ParsedWordLevel> ParseWordLevelModel(const JsonView& json);

}  // namespace sglrun::tokenizer
