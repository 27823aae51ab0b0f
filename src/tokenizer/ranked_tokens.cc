#include "tokenizer/ranked_tokens.h"

#include <algorithm>

#include "tokenizer/bpe_model.h"
#include "tokenizer/byte_alphabet.h"

namespace sglrun::tokenizer {
namespace {

Status AddTokens(std::span<const RankedToken> tokens, std::int64_t first_id,
                 Vocabulary& vocabulary) {
  vocabulary.Reserve(tokens.size());
  for (const RankedToken& token : tokens) {
    if (token.bytes.empty()) {
      return Error{"the token of rank " + std::to_string(token.rank) + " is empty"};
    }
    // A rank beyond all ids is refused before the sum could overflow.
    const std::int64_t rank = std::min(token.rank, kMaxTokenId);
    SGLRUN_RETURN_IF_ERROR(vocabulary.Add(BytesToLetters(token.bytes), rank + first_id));
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    if (vocabulary.Find(BytesToLetters({&text, 1}))) continue;
    return Error{"no token represents the byte " + ByteTokenName(static_cast<unsigned char>(byte))};
  }
  return {};
}

// One merge for each way to cut a token into two tokens.
MergeTable MergesOfRanks(const Vocabulary& vocabulary) {
  MergeTable merges(4 * vocabulary.count());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view text = vocabulary.Text(id);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      if ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) continue;
      const std::optional<TokenId> left = vocabulary.Find(text.substr(0, cut));
      if (!left) continue;
      const std::optional<TokenId> right = vocabulary.Find(text.substr(cut));
      if (right) merges.Set(*left, *right, {static_cast<std::uint32_t>(id), id});
    }
  }
  return merges;
}

}  // namespace

Status FillFromRanks(std::span<const RankedToken> tokens, std::int64_t first_id,
                     std::span<const std::string_view> patterns, TokenizerParts& parts) {
  SGLRUN_RETURN_IF_ERROR(AddTokens(tokens, first_id, parts.vocabulary));
  SGLRUN_ASSIGN_OR_RETURN(parts.pre_tokenizer, PreTokenizer::FromPatterns(patterns));
  parts.pre_tokenizer.TakeByteLevel();
  parts.decoder = Decoder::ByteLevel();
  parts.model = std::make_unique<BpeModel>(parts.vocabulary, MergesOfRanks(parts.vocabulary),
                                           BpeOptions{.ignore_merges = true}, BpeSymbols::kBytes);
  return {};
}

}  // namespace sglrun::tokenizer
