// Unigram (Kudo 2018): of all ways to cut a text into tokens, the one with the highest sum of
// scores.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/piece_trie.h"
#include "tokenizer/text_model.h"

namespace sglrun::tokenizer {

struct UnigramOptions {
  std::optional<TokenId> unk_id;
  bool byte_fallback = false;  // unknown characters become byte tokens
};

class UnigramModel final : public TextModel {
 public:
  // `scores` by id, all finite. `vocabulary` holds the model's own tokens only.
  UnigramModel(Vocabulary vocabulary, std::vector<double> scores, UnigramOptions options);

  Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const override;
  std::string Name() const override { return "Unigram"; }

 private:
  // The best way to reach a place of the text: by the token that begins at `start`.
  struct Step {
    double score = 0;
    std::size_t start = kUnreached;
    TokenId id = -1;
  };
  static constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

  Status EncodePiece(std::string_view text, std::vector<Step>& steps,
                     std::vector<TokenId>& out) const;
  bool FindBestSteps(std::string_view text, std::vector<Step>& steps) const;
  void AppendUnknown(std::string_view text, std::vector<TokenId>& out) const;

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  UnigramOptions options_;
  double unknown_score_;
  std::array<TokenId, 256> bytes_;  // byte tokens; -1: none
  PieceTrie trie_;
};

// The "model" of a tokenizer.json of type Unigram.
struct ParsedUnigram {
  Vocabulary vocabulary;
  std::vector<double> scores;
  UnigramOptions options;
};
Result<ParsedUnigram> ParseUnigramModel(const JsonView& json);

}  // namespace sglrun::tokenizer
