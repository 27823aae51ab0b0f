#include <algorithm>
#include <array>
#include <map>

#include "base/stop_flag.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "tokenizer/parts.h"

namespace sglrun::tokenizer {
namespace {

// End-of-message tokens that families use in addition to their end-of-sequence token.
constexpr std::array<std::string_view, 3> kEndOfMessage = {
    "<|eom_id|>", "<|content_model_end_sampling|>", "<|ifm|im_end|>"};

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

  Status Prepare() {
    special_.assign(static_cast<std::size_t>(vocab_size()), false);
    for (const AddedToken& token : parts_.added_tokens) {
      if (token.special) special_[static_cast<std::size_t>(token.id)] = true;
      SGLRUN_RETURN_IF_ERROR(AddToFinder(token));
    }
    offsets_.reserve(static_cast<std::size_t>(vocab_size()) + 1);
    for (TokenId id = 0; id < vocab_size(); ++id) {
      offsets_.push_back(bytes_.size());
      if (IsToken(id)) bytes_ += parts_.decoder.BytesInside(DecodedText(id));
    }
    offsets_.push_back(bytes_.size());
    return {};
  }

  Result<std::vector<TokenId>> Encode(std::string_view text, EncodeOptions options) const override {
    std::string repaired;
    TextRange everything;
    std::span<const TextRange> plain = options.plain;
    if (!IsValidUtf8(text)) {
      repaired = ToValidUtf8(text);
      text = repaired;
      // Normalisation has moved the ranges: it is safer to find no special tokens here than one
      // that a user wrote.
      everything.end = text.size();
      if (!plain.empty()) plain = {&everything, 1};
    }
    std::vector<TokenId> ids;
    const PostProcessor& post = parts_.post_processor;
    if (options.add_special_tokens) ids = post.prefix;
    std::vector<Section> sections;
    raw_finder_.Split(text, sections, plain);
    for (const Section& section : sections) {
      if (section.id) {
        ids.push_back(*section.id);
        continue;
      }
      const auto begin = static_cast<std::size_t>(section.text.data() - text.data());
      const auto range = std::ranges::partition_point(
          plain, [&](const TextRange& one) { return one.end <= begin; });
      const bool holds_plain = range != plain.end() && range->begin < begin + section.text.size();
      SGLRUN_RETURN_IF_ERROR(EncodeRaw({section.text, begin == 0}, holds_plain, ids));
    }
    // The loops below then end early, and their result is discarded.
    if (StopFlag::requested()) return Error{"stopped by a signal"};
    if (options.add_special_tokens) {
      ids.insert(ids.end(), post.suffix.begin(), post.suffix.end());
    }
    return ids;
  }

  std::string Decode(std::span<const TokenId> ids, bool skip_special_tokens) const override {
    if (parts_.decoder.JoinsBytes()) {
      std::string bytes;
      AppendBytes(ids, skip_special_tokens, bytes);
      return ToValidUtf8(bytes);
    }
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
      if (IsShown(id, skip_special_tokens)) tokens.emplace_back(DecodedText(id));
    }
    return parts_.decoder.Decode(std::move(tokens));
  }

  std::int32_t vocab_size() const override { return parts_.vocabulary.size(); }
  bool IsToken(TokenId id) const override { return parts_.vocabulary.IsToken(id); }
  bool IsSpecial(TokenId id) const override {
    return IsToken(id) && special_[static_cast<std::size_t>(id)];
  }
  std::optional<TokenId> Find(std::string_view token) const override {
    return parts_.vocabulary.Find(token);
  }
  std::string TokenName(TokenId id) const override {
    return std::string(parts_.vocabulary.Text(id));
  }
  std::string TokenBytes(TokenId id) const override { return std::string(BytesOf(id)); }

  std::optional<TokenId> bos_id() const override { return parts_.bos_id; }
  std::optional<TokenId> eos_id() const override { return parts_.eos_id; }

  std::vector<TokenId> StopIds() const override {
    std::vector<TokenId> ids = parts_.other_stop_ids;
    if (parts_.eos_id) ids.push_back(*parts_.eos_id);
    for (const AddedToken& token : parts_.added_tokens) {
      if (std::find(kEndOfMessage.begin(), kEndOfMessage.end(), token.content) !=
          kEndOfMessage.end()) {
        ids.push_back(static_cast<TokenId>(token.id));
      }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  const std::string& chat_template() const override { return parts_.chat_template; }
  std::string Description() const override {
    return parts_.model->Name() + ", " +
           FormatCount(static_cast<std::int64_t>(parts_.vocabulary.count())) + " tokens";
  }
  bool StripsLeadingSpace() const override { return parts_.decoder.StripsLeadingSpace(); }
  bool DropsRepeats() const override { return parts_.decoder.DropsRepeats(); }

  void AppendBytes(std::span<const TokenId> ids, bool skip_special_tokens,
                   std::string& out) const override {
    for (const TokenId id : ids) {
      if (IsShown(id, skip_special_tokens)) out += BytesOf(id);
    }
  }

 private:
  Status AddToFinder(const AddedToken& token) {
    if (!token.normalized) {
      raw_finder_.Add(token.content, token);
      return {};
    }
    std::string text = token.content;
    SGLRUN_RETURN_IF_ERROR(parts_.normalizer.Apply(text));
    normalized_finder_.Add(text, token);
    if (text != token.content) decoded_[static_cast<TokenId>(token.id)] = std::move(text);
    return {};
  }

  // Normalises a part of the original text and searches it for the other added tokens. If it
  // contains plain stretches, their places are unknown after normalisation, so special tokens are
  // not searched.
  Status EncodeRaw(const Piece& raw, bool holds_plain, std::vector<TokenId>& ids) const {
    std::string normalized;
    std::string_view text = raw.text;
    if (!parts_.normalizer.empty()) {
      normalized = text;
      SGLRUN_RETURN_IF_ERROR(parts_.normalizer.Apply(normalized));
      text = normalized;
    }
    std::vector<Section> sections;
    const TextRange everything{0, holds_plain ? text.size() : 0};
    normalized_finder_.Split(text, sections, {&everything, 1});
    for (const Section& section : sections) {
      if (section.id) {
        ids.push_back(*section.id);
      } else {
        SGLRUN_RETURN_IF_ERROR(EncodeNormalized(
            {section.text, raw.at_start && section.text.data() == text.data()}, ids));
      }
    }
    return {};
  }

  Status EncodeNormalized(const Piece& text, std::vector<TokenId>& ids) const {
    TextArena arena;
    std::vector<Piece> pieces;
    SGLRUN_RETURN_IF_ERROR(parts_.pre_tokenizer.Split(text, arena, pieces));
    return parts_.model->Encode(pieces, ids);
  }

  // The text of a token for the decoder: for added tokens that are searched in normalised text, the
  // reference keeps the normalised text.
  std::string_view DecodedText(TokenId id) const {
    const auto found = decoded_.find(id);
    return found == decoded_.end() ? parts_.vocabulary.Text(id) : found->second;
  }

  bool IsShown(TokenId id, bool skip_special_tokens) const {
    return IsToken(id) && !(skip_special_tokens && special_[static_cast<std::size_t>(id)]);
  }

  std::string_view BytesOf(TokenId id) const {
    if (!IsToken(id)) return {};
    const std::size_t begin = offsets_[static_cast<std::size_t>(id)];
    return std::string_view(bytes_).substr(begin,
                                           offsets_[static_cast<std::size_t>(id) + 1] - begin);
  }

  TokenizerParts parts_;
  AddedTokenFinder raw_finder_;             // tokens that are searched before normalisation
  AddedTokenFinder normalized_finder_;      // and after
  std::map<TokenId, std::string> decoded_;  // where it is not the token's own text
  std::vector<bool> special_;               // by id
  std::string bytes_;                       // what each token adds inside a text
  std::vector<std::size_t> offsets_;        // by id, into bytes_
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> AssembleTokenizer(TokenizerParts parts) {
  auto tokenizer = std::make_unique<PipelineTokenizer>(std::move(parts));
  SGLRUN_RETURN_IF_ERROR(tokenizer->Prepare());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

}  // namespace sglrun::tokenizer
