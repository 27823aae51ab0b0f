#include "tokenizer/word_models.h"

#include <utility>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "tokenizer/model_vocabulary.h"

namespace sglrun::tokenizer {
namespace {

Error NoUnknownToken(std::string_view word, const std::string& unk_token) {
  return Error{"the word \"" + std::string(word.substr(0, 60)) +
               "\" is unknown, and the unknown token \"" + unk_token +
               "\" is not in the vocabulary"};
}

}  // namespace

WordLevelModel::WordLevelModel(Vocabulary vocabulary, std::string unk_token)
    : vocabulary_(std::move(vocabulary)),
      unk_token_(std::move(unk_token)),
      unk_id_(vocabulary_.Find(unk_token_)) {}

Status WordLevelModel::Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const {
  for (const Piece& piece : pieces) {
    if (StopFlag::requested()) break;
    const std::optional<TokenId> id = vocabulary_.Find(piece.text);
    if (!id && !unk_id_) return NoUnknownToken(piece.text, unk_token_);
    out.push_back(id ? *id : *unk_id_);
  }
  return {};
}

WordPieceModel::WordPieceModel(const Vocabulary& vocabulary, WordPieceOptions options)
    : options_(std::move(options)),
      unk_id_(vocabulary.Find(options_.unk_token)),
      trie_(vocabulary),
      continuing_(trie_.Descend(PieceTrie::kRoot, options_.continuing_subword_prefix)) {}

Status WordPieceModel::Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const {
  for (const Piece& piece : pieces) {
    if (StopFlag::requested()) break;
    if (EncodeWord(piece.text, out)) continue;
    if (!unk_id_) return NoUnknownToken(piece.text, options_.unk_token);
    out.push_back(*unk_id_);
  }
  return {};
}

bool WordPieceModel::EncodeWord(std::string_view word, std::vector<TokenId>& out) const {
  if (static_cast<std::int64_t>(CountCodePoints(word)) > options_.max_input_chars_per_word) {
    return false;
  }
  const std::size_t first = out.size();
  for (std::size_t start = 0; start < word.size();) {
    PieceTrie::Node node = start == 0 ? PieceTrie::kRoot : continuing_;
    TokenId longest = -1;
    std::size_t end = start;
    for (std::size_t pos = start; pos < word.size() && node != PieceTrie::kNone;) {
      node = trie_.Child(node, word[pos++]);
      if (node == PieceTrie::kNone || trie_.TokenAt(node) < 0) continue;
      longest = trie_.TokenAt(node);
      end = pos;
    }
    if (longest < 0) {
      out.resize(first);
      return false;
    }
    out.push_back(longest);
    start = end;
  }
  return true;
}

Result<ParsedWordPiece> ParseWordPieceModel(const JsonView& json) {
  ParsedWordPiece out;
  SGLRUN_ASSIGN_OR_RETURN(out.vocabulary, ParseModelVocabulary(json));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView unk, json.Member("unk_token"));
  SGLRUN_ASSIGN_OR_RETURN(out.options.unk_token, unk.String());
  SGLRUN_ASSIGN_OR_RETURN(
      out.options.continuing_subword_prefix,
      json.StringOr("continuing_subword_prefix", out.options.continuing_subword_prefix));
  if (json.Has("max_input_chars_per_word")) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView limit, json.Member("max_input_chars_per_word"));
    SGLRUN_ASSIGN_OR_RETURN(out.options.max_input_chars_per_word, limit.Int());
    if (out.options.max_input_chars_per_word < 0) return limit.Expected("0 or more");
  }
  return out;
}

Result<ParsedWordLevel> ParseWordLevelModel(const JsonView& json) {
  ParsedWordLevel out;
  SGLRUN_ASSIGN_OR_RETURN(out.vocabulary, ParseModelVocabulary(json));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView unk, json.Member("unk_token"));
  SGLRUN_ASSIGN_OR_RETURN(out.unk_token, unk.String());
  return out;
}

}  // namespace sglrun::tokenizer
