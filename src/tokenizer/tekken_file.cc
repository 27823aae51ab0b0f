#include "tokenizer/tekken_file.h"

#include <algorithm>
#include <array>

#include "tokenizer/base64.h"
#include "tokenizer/ranked_tokens.h"
#include "tokenizer/read_json.h"

namespace sglrun::tokenizer {
namespace {

// The special tokens of files that do not list any (Tekkenizer of mistral-common).
constexpr std::array<std::string_view, 20> kOldSpecialTokens = {"<unk>",
                                                                "<s>",
                                                                "</s>",
                                                                "[INST]",
                                                                "[/INST]",
                                                                "[AVAILABLE_TOOLS]",
                                                                "[/AVAILABLE_TOOLS]",
                                                                "[TOOL_RESULTS]",
                                                                "[/TOOL_RESULTS]",
                                                                "[TOOL_CALLS]",
                                                                "[IMG]",
                                                                "<pad>",
                                                                "[IMG_BREAK]",
                                                                "[IMG_END]",
                                                                "[PREFIX]",
                                                                "[MIDDLE]",
                                                                "[SUFFIX]",
                                                                "[SYSTEM_PROMPT]",
                                                                "[/SYSTEM_PROMPT]",
                                                                "[TOOL_CONTENT]"};

struct Header {
  std::string pattern;
  std::int64_t special_tokens = 0;  // ids below are theirs
  std::int64_t ranks = 0;           // entries of "vocab" that count; those after are padding
};

Result<std::int64_t> ParseCount(const JsonView& json, std::string_view key,
                                std::int64_t otherwise) {
  if (!json.Has(key)) return otherwise;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member(key));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, member.Int());
  if (count < 0 || count > kMaxTokenId) {
    return member.Expected("from 0 to " + std::to_string(kMaxTokenId));
  }
  return count;
}

// The special tokens by rank, which must be 0, 1, 2, ...
Result<std::vector<std::string>> ParseSpecialTokens(const JsonView& root) {
  if (!root.Has("special_tokens")) {
    return std::vector<std::string>(kOldSpecialTokens.begin(), kOldSpecialTokens.end());
  }
  SGLRUN_ASSIGN_OR_RETURN(const JsonView list, root.Member("special_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> entries, list.Elements());
  std::vector<std::string> out(entries.size());
  std::vector<bool> seen(entries.size(), false);
  for (const JsonView& entry : entries) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView rank_json, entry.Member("rank"));
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t rank, rank_json.Int());
    const bool fits = rank >= 0 && rank < static_cast<std::int64_t>(out.size());
    if (!fits || seen[static_cast<std::size_t>(rank)]) {
      return rank_json.Expected("another number from 0 to " + std::to_string(out.size() - 1));
    }
    seen[static_cast<std::size_t>(rank)] = true;
    SGLRUN_ASSIGN_OR_RETURN(const JsonView text, entry.Member("token_str"));
    SGLRUN_ASSIGN_OR_RETURN(out[static_cast<std::size_t>(rank)], text.String());
  }
  return out;
}

Result<Header> ParseHeader(const JsonView& root, std::size_t named, std::size_t entries) {
  Header out;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView config, root.Member("config"));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView pattern, config.Member("pattern"));
  SGLRUN_ASSIGN_OR_RETURN(out.pattern, pattern.String());
  const auto count = static_cast<std::int64_t>(entries);
  SGLRUN_ASSIGN_OR_RETURN(out.special_tokens, ParseCount(config, "default_num_special_tokens",
                                                         static_cast<std::int64_t>(named)));
  if (out.special_tokens < static_cast<std::int64_t>(named)) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView member, config.Member("default_num_special_tokens"));
    return member.Expected("at least " + std::to_string(named) + ", the number of special tokens");
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t size,
                          ParseCount(config, "default_vocab_size", out.special_tokens + count));
  out.ranks = size - out.special_tokens;
  if (out.ranks < 0 || out.ranks > count) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView member, config.Member("default_vocab_size"));
    return member.Expected("from " + std::to_string(out.special_tokens) + " to " +
                           std::to_string(out.special_tokens + count));
  }
  return out;
}

Result<std::vector<RankedToken>> ParseRanks(std::span<const JsonView> entries) {
  std::vector<RankedToken> out;
  out.reserve(entries.size());
  for (const JsonView& entry : entries) {
    const auto expected = static_cast<std::int64_t>(out.size());
    SGLRUN_ASSIGN_OR_RETURN(const JsonView rank_json, entry.Member("rank"));
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t rank, rank_json.Int());
    if (rank != expected) return rank_json.Expected("its place, " + std::to_string(expected));
    SGLRUN_ASSIGN_OR_RETURN(const JsonView text, entry.Member("token_bytes"));
    SGLRUN_ASSIGN_OR_RETURN(const std::string encoded, text.String());
    std::optional<std::string> bytes = DecodeBase64(encoded);
    if (!bytes) return text.Expected("base64");
    out.push_back({std::move(*bytes), rank});
  }
  return out;
}

Status AddSpecialTokens(std::vector<std::string> names, std::int64_t count, TokenizerParts& parts) {
  for (std::int64_t id = static_cast<std::int64_t>(names.size()); id < count; ++id) {
    names.push_back("<SPECIAL_" + std::to_string(id) + ">");
  }
  for (std::size_t id = 0; id < names.size(); ++id) {
    parts.added_tokens.push_back(
        {.content = names[id], .id = static_cast<std::int64_t>(id), .special = true});
  }
  return AddToVocabulary(parts.added_tokens, parts.vocabulary);
}

Result<TokenizerParts> ReadParts(const JsonView& root, const TokenizerConfig& config) {
  TokenizerParts parts;
  SGLRUN_ASSIGN_OR_RETURN(std::vector<std::string> names, ParseSpecialTokens(root));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView vocab, root.Member("vocab"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> entries, vocab.Elements());
  SGLRUN_ASSIGN_OR_RETURN(const Header header, ParseHeader(root, names.size(), entries.size()));
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<RankedToken> tokens,
      ParseRanks(std::span(entries).first(static_cast<std::size_t>(header.ranks))));
  const std::string_view pattern = header.pattern;
  SGLRUN_RETURN_IF_ERROR(FillFromRanks(tokens, header.special_tokens, {&pattern, 1}, parts));
  SGLRUN_RETURN_IF_ERROR(AddSpecialTokens(std::move(names), header.special_tokens, parts));
  SGLRUN_RETURN_IF_ERROR(
      ApplyConfig(config, {.bos = "<s>", .eos = "</s>", .add_bos = true}, parts));
  return parts;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromTekken(std::string_view text,
                                                       const TokenizerConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(const Json json, ReadJson(text, "tekken.json"));
  SGLRUN_ASSIGN_OR_RETURN(TokenizerParts parts, ReadParts(JsonView(json, ""), config));
  return AssembleTokenizer(std::move(parts));
}

}  // namespace sglrun::tokenizer
