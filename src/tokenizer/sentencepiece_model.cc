#include "tokenizer/sentencepiece_model.h"

#include <sentencepiece_processor.h>

#include "tokenizer/parts.h"

namespace sglrun::tokenizer {
namespace {

using sentencepiece::SentencePieceProcessor;

Error FromStatus(const sentencepiece::util::Status& status) {
  return Error{std::string("SentencePiece: ") + status.error_message()};
}

// Reads the protobuf wire format, as far as one flag needs it. Ill-formed data ends the walk.
class WireReader {
 public:
  explicit WireReader(std::string_view data) : data_(data) {}

  bool Next() {
    std::uint64_t key = 0;
    if (data_.empty() || !Varint(key)) return false;
    field_ = key >> 3;
    value_ = 0;
    bytes_ = {};
    switch (key & 7) {
      case 0:
        return Varint(value_);
      case 1:
        return Take(8);
      case 2:
        return Varint(value_) && Take(value_);
      case 5:
        return Take(4);
      default:
        return false;
    }
  }
  std::uint64_t field() const { return field_; }
  std::uint64_t value() const { return value_; }
  std::string_view bytes() const { return bytes_; }

 private:
  bool Varint(std::uint64_t& out) {
    out = 0;
    for (int shift = 0; shift < 64 && !data_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(data_.front());
      data_.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool Take(std::uint64_t count) {
    if (count > data_.size()) return false;
    bytes_ = data_.substr(0, count);
    data_.remove_prefix(count);
    return true;
  }

  std::string_view data_;
  std::uint64_t field_ = 0;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
};

// ModelProto.normalizer_spec (3) .add_dummy_prefix (3), true by default.
bool AddsDummyPrefix(std::string_view model) {
  bool adds = true;
  for (WireReader outer(model); outer.Next();) {
    if (outer.field() != 3) continue;
    for (WireReader inner(outer.bytes()); inner.Next();) {
      if (inner.field() == 3) adds = inner.value() != 0;
    }
  }
  return adds;
}

// Messages that follow each other are merged, so these bytes at the end of a file turn the flag
// off.
constexpr std::string_view kNoDummyPrefix("\x1A\x02\x18\x00", 4);

class SentencePieceModel final : public TextModel {
 public:
  SentencePieceModel(std::unique_ptr<SentencePieceProcessor> at_start,
                     std::unique_ptr<SentencePieceProcessor> inside)
      : at_start_(std::move(at_start)), inside_(std::move(inside)) {}

  Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const override {
    std::vector<int> ids;
    for (const Piece& piece : pieces) {
      const SentencePieceProcessor& processor = piece.at_start || !inside_ ? *at_start_ : *inside_;
      const auto status = processor.Encode({piece.text.data(), piece.text.size()}, &ids);
      if (!status.ok()) return FromStatus(status);
      out.insert(out.end(), ids.begin(), ids.end());
    }
    return {};
  }
  std::string Name() const override { return "SentencePiece"; }

 private:
  std::unique_ptr<SentencePieceProcessor> at_start_;
  std::unique_ptr<SentencePieceProcessor> inside_;  // null: the same as at the start
};

Result<std::unique_ptr<SentencePieceProcessor>> LoadProcessor(const std::string& model) {
  auto processor = std::make_unique<SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(model);
  if (!status.ok()) return FromStatus(status);
  return processor;
}

// Control symbols and the unknown token are found in text first: the library does not do it.
Status ReadPieces(const SentencePieceProcessor& processor, const TokenizerConfig& config,
                  TokenizerParts& parts) {
  const int count = processor.GetPieceSize();
  parts.vocabulary.Reserve(static_cast<std::size_t>(count));
  for (int id = 0; id < count; ++id) {
    const std::string& text = processor.IdToPiece(id);
    SGLRUN_RETURN_IF_ERROR(parts.vocabulary.Add(text, id));
    if (processor.IsControl(id) || processor.IsUnknown(id)) {
      parts.added_tokens.push_back({.content = text, .id = id, .special = true});
    }
  }
  for (const AddedToken& token : config.added_tokens) {
    // The configuration overrides what the model states about a token.
    std::erase_if(parts.added_tokens,
                  [&](const AddedToken& known) { return known.content == token.content; });
    parts.added_tokens.push_back(token);
  }
  return AddToVocabulary(parts.added_tokens, parts.vocabulary);
}

std::optional<TokenId> SpecialId(const std::optional<std::string>& name, int library_id,
                                 const Vocabulary& vocabulary) {
  if (name) return vocabulary.Find(*name);
  return library_id >= 0 ? std::optional<TokenId>(library_id) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromSentencePiece(std::string_view model,
                                                              const TokenizerConfig& config) {
  TokenizerParts parts;
  SGLRUN_ASSIGN_OR_RETURN(auto processor, LoadProcessor(std::string(model)));
  SGLRUN_RETURN_IF_ERROR(ReadPieces(*processor, config, parts));
  parts.bos_id = SpecialId(config.bos_token, processor->bos_id(), parts.vocabulary);
  parts.eos_id = SpecialId(config.eos_token, processor->eos_id(), parts.vocabulary);
  if (parts.bos_id && config.add_bos_token.value_or(true)) {
    parts.post_processor.prefix.push_back(*parts.bos_id);
  }
  if (parts.eos_id && config.add_eos_token.value_or(false)) {
    parts.post_processor.suffix.push_back(*parts.eos_id);
  }
  const bool adds_prefix = AddsDummyPrefix(model);
  parts.decoder = Decoder::SentencePiece(adds_prefix);
  // "legacy" files put a space before every stretch of text, later ones before the first only.
  std::unique_ptr<SentencePieceProcessor> inside;
  if (adds_prefix && !config.legacy.value_or(true)) {
    SGLRUN_ASSIGN_OR_RETURN(inside,
                            LoadProcessor(std::string(model) + std::string(kNoDummyPrefix)));
  }
  parts.model = std::make_unique<SentencePieceModel>(std::move(processor), std::move(inside));
  parts.chat_template = config.chat_template;
  return AssembleTokenizer(std::move(parts));
}

}  // namespace sglrun::tokenizer
