#include "tokenizer/tokenizer_json.h"

#include <array>

#include "tokenizer/bpe_model.h"
#include "tokenizer/parts.h"
#include "tokenizer/read_json.h"
#include "tokenizer/unigram_model.h"
#include "tokenizer/word_models.h"

namespace sglrun::tokenizer {
namespace {

// A model kind fills in the vocabulary and the model; it may ask the pre-tokenizer for bytes.
Status ReadBpe(const JsonView& json, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(ParsedBpe bpe, ParseBpeModel(json));
  const bool bytes = bpe.options.AllowsBytes() && parts.pre_tokenizer.TakeByteLevel();
  parts.model =
      std::make_unique<BpeModel>(bpe.vocabulary, std::move(bpe.merges), std::move(bpe.options),
                                 bytes ? BpeSymbols::kBytes : BpeSymbols::kCharacters);
  parts.vocabulary = std::move(bpe.vocabulary);
  return {};
}

Status ReadUnigram(const JsonView& json, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(ParsedUnigram unigram, ParseUnigramModel(json));
  parts.vocabulary = unigram.vocabulary;
  parts.model = std::make_unique<UnigramModel>(std::move(unigram.vocabulary),
                                               std::move(unigram.scores), unigram.options);
  return {};
}

Status ReadWordPiece(const JsonView& json, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(ParsedWordPiece words, ParseWordPieceModel(json));
  parts.model = std::make_unique<WordPieceModel>(words.vocabulary, std::move(words.options));
  parts.vocabulary = std::move(words.vocabulary);
  return {};
}

Status ReadWordLevel(const JsonView& json, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(ParsedWordLevel words, ParseWordLevelModel(json));
  parts.vocabulary = words.vocabulary;
  parts.model =
      std::make_unique<WordLevelModel>(std::move(words.vocabulary), std::move(words.unk_token));
  return {};
}

struct ModelKind {
  std::string_view name;
  Status (*read)(const JsonView&, TokenizerParts&);
};
constexpr std::array kModelKinds = {ModelKind{"BPE", ReadBpe}, ModelKind{"Unigram", ReadUnigram},
                                    ModelKind{"WordPiece", ReadWordPiece},
                                    ModelKind{"WordLevel", ReadWordLevel}};

// Files of the first releases have no type: their members tell.
std::string_view TypeByMembers(const JsonView& json) {
  if (json.Has("merges")) return "BPE";
  if (json.Has("max_input_chars_per_word")) return "WordPiece";
  const Json* vocab = json.json().Find("vocab");
  if (vocab != nullptr && vocab->is_array()) return "Unigram";
  return vocab != nullptr && json.Has("unk_token") ? "WordLevel" : "";
}

Status ReadModel(const JsonView& root, TokenizerParts& parts) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView json, root.Member("model"));
  std::string type;
  if (json.json().Find("type") == nullptr) type = TypeByMembers(json);
  if (type.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(type, json.Type());
  }
  std::vector<std::string_view> names;
  for (const ModelKind& kind : kModelKinds) {
    if (kind.name == type) return kind.read(json, parts);
    names.push_back(kind.name);
  }
  SGLRUN_ASSIGN_OR_RETURN(const JsonView name, json.Member("type"));
  return name.Unsupported(type, names);
}

Status ReadAddedTokenList(const JsonView& root, std::vector<AddedToken>& out) {
  if (!root.Has("added_tokens")) return {};
  SGLRUN_ASSIGN_OR_RETURN(const JsonView list, root.Member("added_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> elements, list.Elements());
  for (const JsonView& element : elements) {
    SGLRUN_ASSIGN_OR_RETURN(AddedToken token, ParseAddedToken(element));
    SGLRUN_ASSIGN_OR_RETURN(const JsonView id, element.Member("id"));
    SGLRUN_ASSIGN_OR_RETURN(token.id, id.Int());
    out.push_back(std::move(token));
  }
  return {};
}

// A part that may be absent or null.
JsonView OptionalPart(const JsonView& root, std::string_view key) {
  static const Json kNull;
  const Json* member = root.json().Find(key);
  return JsonView(member != nullptr ? *member : kNull, std::string(key));
}

Result<TokenizerParts> ReadJsonParts(const JsonView& root, const TokenizerConfig& config) {
  if (!root.json().is_object()) return root.Expected("an object");
  TokenizerParts parts;
  SGLRUN_ASSIGN_OR_RETURN(parts.normalizer, Normalizer::Parse(OptionalPart(root, "normalizer")));
  SGLRUN_ASSIGN_OR_RETURN(parts.pre_tokenizer,
                          PreTokenizer::Parse(OptionalPart(root, "pre_tokenizer")));
  SGLRUN_ASSIGN_OR_RETURN(parts.decoder, Decoder::Parse(OptionalPart(root, "decoder")));
  SGLRUN_RETURN_IF_ERROR(ReadModel(root, parts));
  SGLRUN_RETURN_IF_ERROR(ReadAddedTokenList(root, parts.added_tokens));
  SGLRUN_RETURN_IF_ERROR(AddToVocabulary(parts.added_tokens, parts.vocabulary));
  SGLRUN_ASSIGN_OR_RETURN(
      parts.post_processor,
      PostProcessor::Parse(OptionalPart(root, "post_processor"), parts.vocabulary));
  if (config.bos_token) parts.bos_id = parts.vocabulary.Find(*config.bos_token);
  if (config.eos_token) parts.eos_id = parts.vocabulary.Find(*config.eos_token);
  parts.chat_template = config.chat_template;
  return parts;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromJson(std::string_view text,
                                                     const TokenizerConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(const Json json, ReadJson(text, "tokenizer.json"));
  Result<TokenizerParts> parts = ReadJsonParts(JsonView(json, ""), config);
  if (!parts.ok()) return Error{"tokenizer.json: " + parts.error().message};
  return AssembleTokenizer(std::move(parts).value());
}

}  // namespace sglrun::tokenizer
