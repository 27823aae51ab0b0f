#include "tokenizer/tiktoken_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>

#include "tokenizer/base64.h"
#include "tokenizer/pre_patterns.h"
#include "tokenizer/ranked_tokens.h"

namespace sglrun::tokenizer {
namespace {

struct FamilyToken {
  std::int64_t id;  // counted from the number of ranks
  std::string_view text;
};

struct TiktokenFamily {
  std::string_view name;  // a model_type, the stem of a file, or a tokenizer_class
  std::string_view pre;   // of pre_patterns.h
  std::string_view bos, eos;
  bool add_bos;
  std::span<const FamilyToken> tokens;  // none: the configuration must name them
  int extra = 0;                        // number of tokens <|extra_0|>, <|extra_1|>, ... after them
  int reserved = 0;  // of the ids after the ranks, those without a name are <|reserved_token_ID|>
};

// What all releases of Llama 3 share: 3.1 and later named some of the reserved tokens again.
constexpr std::array<FamilyToken, 5> kLlama3Tokens = {{{0, "<|begin_of_text|>"},
                                                       {1, "<|end_of_text|>"},
                                                       {6, "<|start_header_id|>"},
                                                       {7, "<|end_header_id|>"},
                                                       {9, "<|eot_id|>"}}};
constexpr std::array<FamilyToken, 3> kQwenTokens = {
    {{0, "<|endoftext|>"}, {1, "<|im_start|>"}, {2, "<|im_end|>"}}};
constexpr std::array<FamilyToken, 1> kGpt2Tokens = {{{0, "<|endoftext|>"}}};
// Some ids between the 100,256 ranks and these are not used.
constexpr std::array<FamilyToken, 5> kCl100kTokens = {{{1, "<|endoftext|>"},
                                                       {2, "<|fim_prefix|>"},
                                                       {3, "<|fim_middle|>"},
                                                       {4, "<|fim_suffix|>"},
                                                       {20, "<|endofprompt|>"}}};
// Some ids between the 199,998 ranks and these are not used.
constexpr std::array<FamilyToken, 2> kO200kTokens = {
    {{1, "<|endoftext|>"}, {20, "<|endofprompt|>"}}};

constexpr std::string_view kKimiClass = "TikTokenTokenizer";

// Sources: tokenizer.py of Meta's llama3, tokenization_qwen.py of Qwen, tokenization_kimi.py of
// Moonshot's Kimi (which also cuts texts at 25,000 characters without a change between blanks and
// words; here no text is cut), openai_public.py of tiktoken.
constexpr std::array kTiktokenFamilies = {
    TiktokenFamily{"llama", "llama3", "<|begin_of_text|>", "<|end_of_text|>", true, kLlama3Tokens},
    TiktokenFamily{"llama4", "llama4", "<|begin_of_text|>", "<|end_of_text|>", true, {}},
    TiktokenFamily{"qwen", "qwen2", "", "<|endoftext|>", false, kQwenTokens, 205},
    TiktokenFamily{kKimiClass, "kimi-k2", "[BOS]", "[EOS]", false, {}, 0, 258},
    TiktokenFamily{"r50k_base", "gpt-2", "", "<|endoftext|>", false, kGpt2Tokens},
    TiktokenFamily{"cl100k_base", "dbrx", "", "<|endoftext|>", false, kCl100kTokens},
    TiktokenFamily{"o200k_base", "gpt-4o", "", "<|endoftext|>", false, kO200kTokens},
};

// By the name of the file, else by the model's type. Moonshot's models have several types, some of
// them other makers', and one class of tokenizer.
Result<const TiktokenFamily*> FindFamily(std::string_view file_name, const std::string& model_type,
                                         const TokenizerConfig& config) {
  const std::string_view stem = file_name.substr(0, file_name.rfind('.'));
  const std::string type = file_name == "tiktoken.model" && config.tokenizer_class == kKimiClass
                               ? *config.tokenizer_class
                               : model_type;
  std::string known;
  const TiktokenFamily* found = nullptr;
  for (const TiktokenFamily& family : kTiktokenFamilies) {
    if (family.name == stem) return &family;
    if (family.name == type) found = &family;
    known += (known.empty() ? "" : ", ") + std::string(family.name);
  }
  if (found != nullptr) return found;
  return Error{"a tiktoken vocabulary names no pattern and no special tokens, and model_type \"" +
               model_type + "\" is not known; known are " + known +
               "; use the tokenizer.json of the model"};
}

Error BadLine(std::size_t number, std::string_view line) {
  return Error{"line " + std::to_string(number) + " is \"" + std::string(line.substr(0, 60)) +
               "\", must be base64, a space and a rank"};
}

Result<std::vector<RankedToken>> ReadLines(std::string_view text) {
  std::vector<RankedToken> tokens;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return BadLine(number, line);
    std::optional<std::string> bytes = DecodeBase64(line.substr(0, space));
    const std::string_view digits = line.substr(space + 1);
    std::int64_t rank = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (!bytes || error != std::errc() || end != digits.data() + digits.size()) {
      return BadLine(number, line);
    }
    tokens.push_back({std::move(*bytes), rank});
  }
  return tokens;
}

void AddReserved(const TiktokenFamily& family, TokenizerParts& parts) {
  std::set<std::int64_t> named;
  for (const AddedToken& token : parts.added_tokens) named.insert(token.id);
  const std::int64_t first = parts.vocabulary.size();
  for (std::int64_t id = first; id < first + family.reserved; ++id) {
    if (named.contains(id)) continue;
    parts.added_tokens.push_back(
        {.content = "<|reserved_token_" + std::to_string(id) + "|>", .id = id, .special = true});
  }
}

// Those of the configuration, else the family's.
Status AddSpecialTokens(const TiktokenFamily& family, const TokenizerConfig& config,
                        TokenizerParts& parts) {
  parts.added_tokens = config.added_tokens;
  if (parts.added_tokens.empty()) {
    if (family.tokens.empty()) {
      return Error{"the special tokens of \"" + std::string(family.name) +
                   "\" are not in the file: tokenizer_config.json with added_tokens_decoder is "
                   "needed"};
    }
    const std::int64_t first = parts.vocabulary.size();
    for (const FamilyToken& token : family.tokens) {
      parts.added_tokens.push_back(
          {.content = std::string(token.text), .id = first + token.id, .special = true});
    }
    for (int i = 0; i < family.extra; ++i) {
      parts.added_tokens.push_back({.content = "<|extra_" + std::to_string(i) + "|>",
                                    .id = parts.added_tokens.back().id + 1,
                                    .special = true});
    }
  }
  AddReserved(family, parts);
  return AddToVocabulary(parts.added_tokens, parts.vocabulary);
}

}  // namespace

bool LooksLikeTiktoken(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
         DecodeBase64(line.substr(0, space)).has_value() &&
         line.find_first_not_of("0123456789\r", space + 1) == std::string_view::npos;
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromTiktoken(std::string_view text,
                                                         std::string_view file_name,
                                                         const std::string& model_type,
                                                         const TokenizerConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(const TiktokenFamily* family, FindFamily(file_name, model_type, config));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<RankedToken> tokens, ReadLines(text));
  SGLRUN_ASSIGN_OR_RETURN(const PrePattern pre, FindPrePattern(family->pre));
  TokenizerParts parts;
  SGLRUN_RETURN_IF_ERROR(FillFromRanks(tokens, 0, pre.patterns, parts));
  if (pre.nfc) parts.normalizer = Normalizer::Nfc();
  SGLRUN_RETURN_IF_ERROR(AddSpecialTokens(*family, config, parts));
  SGLRUN_RETURN_IF_ERROR(ApplyConfig(
      config, {.bos = family->bos, .eos = family->eos, .add_bos = family->add_bos}, parts));
  return AssembleTokenizer(std::move(parts));
}

}  // namespace sglrun::tokenizer
