#include "tokenizer/bpe_model.h"

#include <algorithm>
#include <bit>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"

namespace sglrun::tokenizer {
namespace {

// U+2581, the space of SentencePiece-like vocabularies.
constexpr std::string_view kSpace = "\xE2\x96\x81";
constexpr std::size_t kStackSymbols = 64;

std::size_t CharacterLength(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

bool IsAscii(char c) {
  return static_cast<unsigned char>(c) < 128;
}

// The ASCII characters before and after a border, as a place of joined_.
std::size_t PairOf(std::string_view text, std::size_t at) {
  return 128 * static_cast<std::size_t>(text[at - 1]) + static_cast<std::size_t>(text[at]);
}

// The character that ends where `end` is.
std::string_view CharacterBefore(std::string_view text, std::size_t end) {
  std::size_t pos = end;
  do {
    --pos;
  } while (pos > 0 && (static_cast<unsigned char>(text[pos]) & 0xC0) == 0x80);
  return text.substr(pos, end - pos);
}

}  // namespace

BpeModel::BpeModel(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options,
                   BpeSymbols symbols)
    : merges_(std::move(merges)), options_(std::move(options)), symbols_(symbols) {
  CopyTexts(vocabulary);
  bytes_.fill(-1);
  ascii_.fill(-1);
  for (int c = 0; c < 256; ++c) {
    const char text = static_cast<char>(c);
    if (c < 128) ascii_[c] = texts_.Find({&text, 1}).value_or(-1);
    bytes_[c] = symbols_ == BpeSymbols::kBytes
                    ? texts_.Find({&text, 1}).value_or(-1)
                    : texts_.Find(ByteTokenName(static_cast<unsigned char>(c))).value_or(-1);
  }
  if (symbols_ == BpeSymbols::kCharacters) FindSafeBorders(vocabulary);
}

void BpeModel::CopyTexts(const Vocabulary& vocabulary) {
  texts_.Reserve(vocabulary.count());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.IsToken(id)) continue;
    std::string text(vocabulary.Text(id));
    if (symbols_ == BpeSymbols::kBytes) {
      // A token with another letter can never occur, because words consist of letters of the
      // alphabet.
      std::optional<std::string> bytes = LettersToBytes(text);
      if (!bytes) continue;
      text = std::move(*bytes);
    }
    CHECK(texts_.Add(text, id).ok());  // the alphabet is one to one, so texts stay distinct
  }
}

// Without a pre-tokenizer a whole document is one word. But no merge can cross the border between a
// character x and a following U+2581 unless some token holds x U+2581, so words can be cut there;
// and in the same way between two ASCII characters. This reasoning does not hold for symbols whose
// text differs from that of their token (unknown, bytes) if they can merge, nor if characters are
// dropped, because their neighbours then become adjacent. With such vocabularies words are not cut.
void BpeModel::FindSafeBorders(const Vocabulary& vocabulary) {
  const bool plain =
      options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty();
  const bool keeps_all = options_.unk_id || (options_.byte_fallback &&
                                             *std::min_element(bytes_.begin(), bytes_.end()) >= 0);
  if (!plain || !keeps_all || !vocabulary.Find(kSpace)) return;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view text = vocabulary.Text(id);
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (text.substr(at).starts_with(kSpace)) {
        before_spaces_.emplace_back(CharacterBefore(text, at));
      } else if (IsAscii(text[at - 1]) && IsAscii(text[at])) {
        joined_[PairOf(text, at)] = true;
      }
    }
  }
  // Neighbours without a token may become one unknown token.
  for (std::size_t pair = 0; pair < joined_.size(); ++pair) {
    if (ascii_[pair / 128] < 0 && ascii_[pair % 128] < 0) joined_[pair] = true;
  }
  std::sort(before_spaces_.begin(), before_spaces_.end());
  before_spaces_.erase(std::unique(before_spaces_.begin(), before_spaces_.end()),
                       before_spaces_.end());
  has_safe_borders_ = !merges_.Uses([this](TokenId id) {
    return id == options_.unk_id ||
           (options_.byte_fallback && std::find(bytes_.begin(), bytes_.end(), id) != bytes_.end());
  });
}

std::string BpeModel::Name() const {
  if (symbols_ == BpeSymbols::kBytes) return "byte-level BPE";
  return options_.byte_fallback ? "BPE with byte fallback" : "BPE";
}

Status BpeModel::Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const {
  std::unique_ptr<WordCache> cache = caches_.Take();
  for (const Piece& piece : pieces) {
    if (StopFlag::requested()) break;
    EncodePiece(piece.text, *cache, out);
  }
  caches_.GiveBack(std::move(cache));
  return {};
}

void BpeModel::EncodePiece(std::string_view text, WordCache& cache,
                           std::vector<TokenId>& out) const {
  if (!has_safe_borders_) {
    EncodeWord(text, cache, out);
    return;
  }
  if (AppendWhole(text, out)) return;
  std::size_t start = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (!IsSafeBorder(text, at)) continue;
    if (StopFlag::requested()) return;
    EncodeWord(text.substr(start, at - start), cache, out);
    start = at;
  }
  EncodeWord(text.substr(start), cache, out);
}

bool BpeModel::IsSafeBorder(std::string_view text, std::size_t at) const {
  if (IsAscii(text[at])) return IsAscii(text[at - 1]) && !joined_[PairOf(text, at)];
  return text.substr(at).starts_with(kSpace) &&
         !std::binary_search(before_spaces_.begin(), before_spaces_.end(),
                             CharacterBefore(text, at));
}

// Takes a piece that is itself a token, if the file requires this (ignore_merges).
bool BpeModel::AppendWhole(std::string_view text, std::vector<TokenId>& out) const {
  if (!options_.ignore_merges) return false;
  const std::optional<TokenId> id = texts_.Find(text);
  if (id) out.push_back(*id);
  return id.has_value();
}

void BpeModel::EncodeWord(std::string_view word, WordCache& cache,
                          std::vector<TokenId>& out) const {
  if (cache.Repeat(word, out)) return;
  const std::size_t begin = out.size();
  const bool is_piece = !has_safe_borders_;
  if (!is_piece || !AppendWhole(word, out)) EncodeSymbols(word, out);
  if (!StopFlag::requested()) cache.Remember(word, std::span(out).subspan(begin));
}

void BpeModel::EncodeSymbols(std::string_view word, std::vector<TokenId>& out) const {
  std::vector<TokenId> symbols;
  symbols.reserve(std::min(word.size(), kStackSymbols));
  if (symbols_ == BpeSymbols::kBytes) {
    AppendByteSymbols(word, symbols);
  } else {
    AppendCharacterSymbols(word, symbols);
  }
  merges_.Apply(symbols, out);
}

void BpeModel::AppendByteSymbols(std::string_view word, std::vector<TokenId>& symbols) const {
  TokenId unknown = -1;  // a token that waits, see AppendUnknown
  for (const char c : word) {
    const TokenId id = bytes_[static_cast<unsigned char>(c)];
    if (id < 0) {
      AppendUnknown(unknown, symbols);
      continue;
    }
    if (unknown >= 0) symbols.push_back(unknown);
    unknown = -1;
    symbols.push_back(id);
  }
  if (unknown >= 0) symbols.push_back(unknown);
}

void BpeModel::AppendCharacterSymbols(std::string_view word, std::vector<TokenId>& symbols) const {
  const bool plain =
      options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty();
  TokenId unknown = -1;  // a token that waits, see AppendUnknown
  std::string decorated;
  for (std::size_t pos = 0, length = 0; pos < word.size(); pos += length) {
    length = CharacterLength(word[pos]);
    std::string_view text = word.substr(pos, length);
    if (!plain) {
      decorated = pos > 0 ? options_.continuing_subword_prefix : "";
      decorated.append(text);
      if (pos + length >= word.size()) decorated += options_.end_of_word_suffix;
      text = decorated;
    }
    const TokenId id = text.size() == 1 && static_cast<unsigned char>(text[0]) < 128
                           ? ascii_[static_cast<unsigned char>(text[0])]
                           : texts_.Find(text).value_or(-1);
    if (id >= 0) {
      if (unknown >= 0) symbols.push_back(unknown);
      unknown = -1;
      symbols.push_back(id);
    } else if (!options_.byte_fallback || !AppendFallbackBytes(text, symbols)) {
      AppendUnknown(unknown, symbols);
    }
  }
  if (unknown >= 0) symbols.push_back(unknown);
}

// An unknown token waits until it is known whether the next character is unknown too.
void BpeModel::AppendUnknown(TokenId& pending, std::vector<TokenId>& symbols) const {
  if (!options_.unk_id) return;
  if (pending >= 0 && !options_.fuse_unk) symbols.push_back(pending);
  pending = *options_.unk_id;
}

bool BpeModel::AppendFallbackBytes(std::string_view text, std::vector<TokenId>& symbols) const {
  const auto token_of = [this](char c) { return bytes_[static_cast<unsigned char>(c)]; };
  if (std::any_of(text.begin(), text.end(), [&](char c) { return token_of(c) < 0; })) return false;
  for (const char c : text) symbols.push_back(token_of(c));
  return true;
}

}  // namespace sglrun::tokenizer
