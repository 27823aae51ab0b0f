// The vocabulary of a GGUF file, as the format document of ggml and the converters of llama.cpp
// write it.
#include <algorithm>
#include <array>
#include <cmath>

#include "tokenizer/bpe_model.h"
#include "tokenizer/parts.h"
#include "tokenizer/pre_patterns.h"

namespace sglrun::tokenizer {
namespace {

enum TokenType : std::int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

TokenType TypeOf(const GgufVocabulary& gguf, std::size_t i) {
  return gguf.token_types.empty() ? kNormal : static_cast<TokenType>(gguf.token_types[i]);
}

// Padding entries are marked unused; they are no tokens.
Status ReadTokens(const GgufVocabulary& gguf, TokenizerParts& parts) {
  if (gguf.tokens.empty()) return Error{"tokenizer.ggml.tokens is empty"};
  if (!gguf.token_types.empty() && gguf.token_types.size() != gguf.tokens.size()) {
    return Error{"tokenizer.ggml.token_type has " + std::to_string(gguf.token_types.size()) +
                 " entries, tokenizer.ggml.tokens " + std::to_string(gguf.tokens.size())};
  }
  parts.vocabulary.Reserve(gguf.tokens.size());
  for (std::size_t i = 0; i < gguf.tokens.size(); ++i) {
    const TokenType type = TypeOf(gguf, i);
    if (type == kUnused) continue;
    const Status added = parts.vocabulary.Add(gguf.tokens[i], static_cast<std::int64_t>(i));
    if (!added.ok()) return Error{"tokenizer.ggml.tokens: " + added.error().message};
    if (type == kControl || type == kUnknown || type == kUserDefined) {
      parts.added_tokens.push_back({.content = gguf.tokens[i],
                                    .id = static_cast<std::int64_t>(i),
                                    .special = type != kUserDefined});
    }
  }
  return {};
}

Status CheckId(const Vocabulary& vocabulary, const char* key, std::optional<TokenId> id) {
  if (!id || vocabulary.IsToken(*id)) return {};
  return Error{std::string("tokenizer.ggml.") + key + " is " + std::to_string(*id) +
               ", which is not a token"};
}

struct Defaults {
  bool add_bos;
  std::optional<TokenId> bos_id = std::nullopt;
  std::optional<TokenId> eos_id = std::nullopt;
};

Status ReadSpecialIds(const GgufVocabulary& gguf, const Defaults& defaults, TokenizerParts& parts) {
  const Vocabulary& vocabulary = parts.vocabulary;
  parts.bos_id = gguf.bos_id ? gguf.bos_id : defaults.bos_id;
  parts.eos_id = gguf.eos_id ? gguf.eos_id : defaults.eos_id;
  SGLRUN_RETURN_IF_ERROR(CheckId(vocabulary, "bos_token_id", parts.bos_id));
  SGLRUN_RETURN_IF_ERROR(CheckId(vocabulary, "eos_token_id", parts.eos_id));
  SGLRUN_RETURN_IF_ERROR(CheckId(vocabulary, "eot_token_id", gguf.eot_id));
  SGLRUN_RETURN_IF_ERROR(CheckId(vocabulary, "unknown_token_id", gguf.unk_id));
  if (gguf.eot_id) parts.other_stop_ids.push_back(*gguf.eot_id);
  if (gguf.add_bos.value_or(defaults.add_bos)) {
    if (!parts.bos_id) return Error{"tokenizer.ggml.add_bos_token is true without a bos_token_id"};
    parts.post_processor.prefix.push_back(*parts.bos_id);
  }
  if (gguf.add_eos.value_or(false)) {
    if (!parts.eos_id) return Error{"tokenizer.ggml.add_eos_token is true without an eos_token_id"};
    parts.post_processor.suffix.push_back(*parts.eos_id);
  }
  return {};
}

Result<MergeTable> ReadMerges(const GgufVocabulary& gguf, const Vocabulary& vocabulary) {
  MergeTable merges(gguf.merges.size());
  for (std::size_t i = 0; i < gguf.merges.size(); ++i) {
    const auto pair = SplitMergeLine(gguf.merges[i]);
    if (!pair) {
      return Error{"tokenizer.ggml.merges[" + std::to_string(i) + "] is not \"left right\""};
    }
    const Status added =
        AddMerge(pair->first, pair->second, 0, static_cast<std::uint32_t>(i), vocabulary, merges);
    if (!added.ok()) return Error{"tokenizer.ggml.merges: " + added.error().message};
  }
  return merges;
}

Status ReadByteLevel(const GgufVocabulary& gguf, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(const PrePattern pre, FindPrePattern(gguf.pre));
  SGLRUN_ASSIGN_OR_RETURN(parts.pre_tokenizer, PreTokenizer::FromPatterns(pre.patterns));
  if (pre.nfc) parts.normalizer = Normalizer::Nfc();
  parts.decoder = Decoder::ByteLevel();
  SGLRUN_ASSIGN_OR_RETURN(MergeTable merges, ReadMerges(gguf, parts.vocabulary));
  parts.pre_tokenizer.TakeByteLevel();
  parts.model = std::make_unique<BpeModel>(parts.vocabulary, std::move(merges),
                                           BpeOptions{.ignore_merges = pre.ignore_merges},
                                           BpeSymbols::kBytes);
  return ReadSpecialIds(gguf, {.add_bos = pre.add_bos}, parts);
}

// Pieces by falling score; equal scores share a rank, so that the leftmost of them merges first.
std::vector<std::uint32_t> RanksOfScores(const std::vector<float>& scores) {
  std::vector<std::uint32_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  std::vector<std::uint32_t> ranks(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool tie = i > 0 && scores[order[i]] == scores[order[i - 1]];
    ranks[order[i]] = tie ? ranks[order[i - 1]] : static_cast<std::uint32_t>(i);
  }
  return ranks;
}

// SentencePiece joins any two neighbours whose joined text is a piece. Written as merges: one for
// each way to cut a piece into two pieces.
MergeTable MergesOfScores(const GgufVocabulary& gguf, const Vocabulary& vocabulary) {
  const std::vector<std::uint32_t> ranks = RanksOfScores(gguf.scores);
  const auto is_piece = [&](TokenId id) {
    const TokenType type = TypeOf(gguf, static_cast<std::size_t>(id));
    return type != kUnknown && type != kControl && type != kByte;
  };
  MergeTable merges(4 * gguf.tokens.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.IsToken(id) || !is_piece(id)) continue;
    const std::string_view text = vocabulary.Text(id);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      if ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) continue;
      const std::optional<TokenId> left = vocabulary.Find(text.substr(0, cut));
      if (!left || !is_piece(*left)) continue;
      const std::optional<TokenId> right = vocabulary.Find(text.substr(cut));
      if (!right || !is_piece(*right)) continue;
      merges.Set(*left, *right, {ranks[static_cast<std::size_t>(id)], id});
    }
  }
  return merges;
}

Status ReadSentencePiece(const GgufVocabulary& gguf, TokenizerParts& parts) {
  if (gguf.scores.size() != gguf.tokens.size()) {
    return Error{"tokenizer.ggml.scores has " + std::to_string(gguf.scores.size()) +
                 " entries, tokenizer.ggml.tokens " + std::to_string(gguf.tokens.size())};
  }
  for (const float score : gguf.scores) {
    if (!std::isfinite(score))
      return Error{"tokenizer.ggml.scores holds a number that is not finite"};
  }
  if (gguf.remove_extra_whitespaces.value_or(false)) {
    return Error{
        "tokenizer.ggml.remove_extra_whitespaces is true, must be false for model \"llama\""};
  }
  const bool add_space_prefix = gguf.add_space_prefix.value_or(true);
  parts.normalizer = Normalizer::SentencePiece(add_space_prefix);
  parts.decoder = Decoder::SentencePiece(add_space_prefix);
  SGLRUN_RETURN_IF_ERROR(ReadSpecialIds(gguf, {.add_bos = true, .bos_id = 1, .eos_id = 2}, parts));
  const TokenId unk_id = gguf.unk_id.value_or(0);
  SGLRUN_RETURN_IF_ERROR(CheckId(parts.vocabulary, "unknown_token_id", unk_id));
  parts.model = std::make_unique<BpeModel>(
      parts.vocabulary, MergesOfScores(gguf, parts.vocabulary),
      BpeOptions{.unk_id = unk_id, .fuse_unk = true, .byte_fallback = true},
      BpeSymbols::kCharacters);
  return {};
}

// Gemma 4: U+2581 for spaces as in SentencePiece-like vocabularies, but with merges of its own. Its
// patterns cut at line ends only, which no merge crosses.
Status ReadGemma4(const GgufVocabulary& gguf, TokenizerParts& parts) {
  const bool add_space_prefix = gguf.add_space_prefix.value_or(false);
  parts.normalizer = Normalizer::SentencePiece(add_space_prefix);
  parts.decoder = Decoder::SentencePiece(add_space_prefix);
  SGLRUN_ASSIGN_OR_RETURN(MergeTable merges, ReadMerges(gguf, parts.vocabulary));
  parts.model = std::make_unique<BpeModel>(
      parts.vocabulary, std::move(merges),
      BpeOptions{.unk_id = gguf.unk_id, .fuse_unk = true, .byte_fallback = true},
      BpeSymbols::kCharacters);
  return ReadSpecialIds(gguf, {.add_bos = true}, parts);
}

struct GgufModelKind {
  std::string_view name;
  Status (*read)(const GgufVocabulary&, TokenizerParts&);
};
constexpr std::array kGgufModelKinds = {GgufModelKind{"gpt2", ReadByteLevel},
                                        GgufModelKind{"llama", ReadSentencePiece},
                                        GgufModelKind{"gemma4", ReadGemma4}};

// Kinds that are supported only through a tokenizer.json: their GGUF files do not state how a text
// is normalised.
std::string MeaningOf(std::string_view model) {
  if (model == "bert") return " (WordPiece)";
  if (model == "t5") return " (Unigram)";
  return "";
}

Status ReadModel(const GgufVocabulary& gguf, TokenizerParts& parts) {
  std::string known;
  for (const GgufModelKind& kind : kGgufModelKinds) {
    if (kind.name == gguf.model) return kind.read(gguf, parts);
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  const std::string found =
      gguf.model.empty() ? "missing" : "\"" + gguf.model + "\"" + MeaningOf(gguf.model);
  return Error{"tokenizer.ggml.model is " + found + ", supported are " + known +
               "; name the folder of the model's own tokenizer.json with --tokenizer"};
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::FromGguf(GgufVocabulary vocabulary) {
  TokenizerParts parts;
  SGLRUN_RETURN_IF_ERROR(ReadTokens(vocabulary, parts));
  SGLRUN_RETURN_IF_ERROR(ReadModel(vocabulary, parts));
  parts.chat_template = std::move(vocabulary.chat_template);
  return AssembleTokenizer(std::move(parts));
}

}  // namespace sglrun::tokenizer
