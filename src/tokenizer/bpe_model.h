// Byte-pair encoding: symbols of a word are merged in the order of the merges' ranks.
//
// Byte-level files write bytes as letters; if no other step depends on the letters, words are kept
// as bytes and the vocabulary is converted once. Other files work on characters, with bytes
// ("<0x0A>") or an unknown token for characters that the vocabulary lacks.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/text_model.h"
#include "tokenizer/vocabulary.h"
#include "tokenizer/word_cache.h"

namespace sglrun::tokenizer {

struct BpeOptions {
  std::optional<TokenId> unk_id = std::nullopt;
  bool fuse_unk = false;       // neighbouring unknown characters become one token
  bool byte_fallback = false;  // unknown characters become byte tokens
  bool ignore_merges = false;  // a word that is a token becomes that token, regardless of merges
  std::string continuing_subword_prefix = {};
  std::string end_of_word_suffix = {};

  // Words can be handled as bytes.
  bool AllowsBytes() const {
    return !byte_fallback && continuing_subword_prefix.empty() && end_of_word_suffix.empty();
  }
};

enum class BpeSymbols { kBytes, kCharacters };

class BpeModel final : public TextModel {
 public:
  // `vocabulary` is read here and not kept: it holds the model's own tokens only.
  BpeModel(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options, BpeSymbols symbols);

  Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const override;
  std::string Name() const override;

 private:
  void EncodePiece(std::string_view text, WordCache& cache, std::vector<TokenId>& out) const;
  bool IsSafeBorder(std::string_view text, std::size_t at) const;
  bool AppendWhole(std::string_view text, std::vector<TokenId>& out) const;
  void EncodeWord(std::string_view word, WordCache& cache, std::vector<TokenId>& out) const;
  void EncodeSymbols(std::string_view word, std::vector<TokenId>& out) const;
  void AppendByteSymbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void AppendCharacterSymbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void AppendUnknown(TokenId& pending, std::vector<TokenId>& symbols) const;
  bool AppendFallbackBytes(std::string_view text, std::vector<TokenId>& symbols) const;

  void CopyTexts(const Vocabulary& vocabulary);
  void FindSafeBorders(const Vocabulary& vocabulary);

  MergeTable merges_;
  BpeOptions options_;
  BpeSymbols symbols_;
  Vocabulary texts_;                        // as the words are written: bytes or characters
  std::array<TokenId, 256> bytes_;          // symbol of a byte, or byte token; -1: none
  std::array<TokenId, 128> ascii_;          // symbol of an ASCII character; -1: none
  bool has_safe_borders_ = false;           // see FindSafeBorders
  std::bitset<128 * 128> joined_;           // ASCII pairs that a merge can join
  std::vector<std::string> before_spaces_;  // characters that a merge can join with U+2581
  mutable WordCachePool caches_;
};

// The token ids of a merge given as texts; refused if a part or the result is not a token.
Status AddMerge(std::string_view left, std::string_view right, std::size_t prefix_bytes,
                std::uint32_t rank, const Vocabulary& vocabulary, MergeTable& merges);

// "a b" -> a, b. Nothing unless there is exactly one space.
std::optional<std::pair<std::string_view, std::string_view>> SplitMergeLine(std::string_view line);

// The "model" of a tokenizer.json of type BPE.
struct ParsedBpe {
  Vocabulary vocabulary;
  MergeTable merges;
  BpeOptions options;
};
Result<ParsedBpe> ParseBpeModel(const JsonView& json);

}  // namespace sglrun::tokenizer
