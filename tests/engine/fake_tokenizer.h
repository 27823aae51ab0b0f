// A tokenizer with a hand-made vocabulary: token i is the text words[i]. Text is encoded by the
// longest word that fits; bytes that no word covers give no token. Words in angle brackets are
// special, an empty word is a gap in the vocabulary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

class FakeTokenizer final : public tokenizer::Tokenizer {
 public:
  using TokenId = tokenizer::TokenId;

  FakeTokenizer(std::vector<std::string> words, std::vector<TokenId> stop_ids)
      : words_(std::move(words)), stop_ids_(std::move(stop_ids)) {}

  Result<std::vector<TokenId>> Encode(std::string_view text,
                                      tokenizer::EncodeOptions) const override {
    std::vector<TokenId> ids;
    while (!text.empty()) {
      std::size_t best = 0;
      for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i].size() > best && text.starts_with(words_[i])) {
          if (best == 0) ids.emplace_back();
          ids.back() = static_cast<TokenId>(i);
          best = words_[i].size();
        }
      }
      text.remove_prefix(best == 0 ? 1 : best);
    }
    return ids;
  }
  std::string Decode(std::span<const TokenId> ids, bool skip_special_tokens) const override {
    std::string text;
    AppendBytes(ids, skip_special_tokens, text);
    return ToValidUtf8(text);
  }
  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(words_.size()); }
  bool IsToken(TokenId id) const override { return !TokenName(id).empty(); }
  bool IsSpecial(TokenId id) const override {
    return TokenName(id).starts_with('<') && TokenName(id).ends_with('>');
  }
  std::optional<TokenId> Find(std::string_view token) const override {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == token) return static_cast<TokenId>(i);
    }
    return std::nullopt;
  }
  std::string TokenName(TokenId id) const override {
    return id >= 0 && id < vocab_size() ? words_[static_cast<std::size_t>(id)] : "";
  }
  std::string TokenBytes(TokenId id) const override { return TokenName(id); }
  std::optional<TokenId> bos_id() const override { return std::nullopt; }
  std::optional<TokenId> eos_id() const override {
    return stop_ids_.empty() ? std::nullopt : std::optional(stop_ids_.front());
  }
  std::vector<TokenId> StopIds() const override { return stop_ids_; }
  const std::string& chat_template() const override { return no_template_; }
  std::string Description() const override { return "hand-made"; }
  bool StripsLeadingSpace() const override { return false; }
  void AppendBytes(std::span<const TokenId> ids, bool skip_special_tokens,
                   std::string& out) const override {
    for (const TokenId id : ids) {
      if (skip_special_tokens && IsSpecial(id)) continue;
      out += TokenName(id);
    }
  }

 private:
  std::vector<std::string> words_;
  std::vector<TokenId> stop_ids_;
  std::string no_template_;
};

// 260 tokens: 0 "<bos>", 1 "<eos>", then one letter-pair each, all distinct: for models whose
// vocabulary means nothing.
inline FakeTokenizer NumberedTokenizer(std::int32_t size) {
  std::vector<std::string> words = {"<bos>", "<eos>"};
  for (std::int32_t id = 2; id < size; ++id) words.push_back("w" + std::to_string(id) + " ");
  return FakeTokenizer(std::move(words), {1});
}

}  // namespace sglrun::engine
