#include "tokenizer/merges_file.h"

#include <algorithm>
#include <array>

#include "tokenizer/bpe_model.h"
#include "tokenizer/model_vocabulary.h"
#include "tokenizer/parts.h"
#include "tokenizer/pre_patterns.h"
#include "tokenizer/read_json.h"

namespace sglrun::tokenizer {
namespace {

struct MergesFamily {
  std::string_view name;  // a tokenizer_class without "Fast", or a model_type
  std::string_view pre;   // of pre_patterns.h
  std::string_view bos;
};

constexpr std::string_view kEndOfText = "<|endoftext|>";

// Classes of the transformers package.
constexpr std::array kMergesFamilies = {
    MergesFamily{"GPT2Tokenizer", "gpt-2", kEndOfText},
    MergesFamily{"CodeGenTokenizer", "gpt-2", kEndOfText},
    MergesFamily{"Qwen2Tokenizer", "qwen2", ""},
    MergesFamily{"gpt2", "gpt-2", kEndOfText},
    MergesFamily{"gptj", "gpt-2", kEndOfText},
    MergesFamily{"gpt_neo", "gpt-2", kEndOfText},
    MergesFamily{"gpt_bigcode", "gpt-2", kEndOfText},
    MergesFamily{"codegen", "gpt-2", kEndOfText},
    MergesFamily{"qwen2", "qwen2", ""},
    MergesFamily{"qwen2_moe", "qwen2", ""},
    MergesFamily{"qwen3", "qwen2", ""},
    MergesFamily{"qwen3_moe", "qwen2", ""},
};

Result<MergesFamily> FindFamily(std::string_view tokenizer_class, const std::string& model_type) {
  if (tokenizer_class.ends_with("Fast")) tokenizer_class.remove_suffix(4);
  const std::string_view name = tokenizer_class.empty() ? model_type : tokenizer_class;
  std::string known;
  for (const MergesFamily& family : kMergesFamilies) {
    if (family.name == name) return family;
    known += (known.empty() ? "" : ", ") + std::string(family.name);
  }
  return Error{"vocab.json and merges.txt do not say how text is cut, and the tokenizer of \"" +
               std::string(name) + "\" is not known; known are " + known +
               "; use the tokenizer.json of the model"};
}

Result<MergeTable> ReadMerges(std::string_view text, const Vocabulary& vocabulary) {
  MergeTable merges(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  std::uint32_t rank = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::string place = "merges.txt: line " + std::to_string(number);
    const auto parts = SplitMergeLine(line);
    if (!parts) {
      return Error{place + " is \"" + std::string(line.substr(0, 60)) +
                   "\", must be two tokens with a space between"};
    }
    const Status added = AddMerge(parts->first, parts->second, 0, rank++, vocabulary, merges);
    if (!added.ok()) return Error{place + ": " + added.error().message};
  }
  return merges;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromMerges(std::string_view vocab_json,
                                                       std::string_view merges_txt,
                                                       const std::string& model_type,
                                                       const TokenizerConfig& config) {
  SGLRUN_ASSIGN_OR_RETURN(const MergesFamily family,
                          FindFamily(config.tokenizer_class.value_or(""), model_type));
  SGLRUN_ASSIGN_OR_RETURN(const PrePattern pre, FindPrePattern(family.pre));
  SGLRUN_ASSIGN_OR_RETURN(const Json json, ReadJson(vocab_json, "vocab.json"));
  TokenizerParts parts;
  SGLRUN_ASSIGN_OR_RETURN(parts.vocabulary, ParseVocabularyTable(JsonView(json, "")));
  SGLRUN_ASSIGN_OR_RETURN(MergeTable merges, ReadMerges(merges_txt, parts.vocabulary));
  SGLRUN_ASSIGN_OR_RETURN(
      parts.pre_tokenizer,
      PreTokenizer::FromPatterns(pre.patterns, config.add_prefix_space.value_or(false)));
  parts.pre_tokenizer.TakeByteLevel();
  if (pre.nfc) parts.normalizer = Normalizer::Nfc();
  parts.decoder = Decoder::ByteLevel();
  parts.model = std::make_unique<BpeModel>(parts.vocabulary, std::move(merges), BpeOptions(),
                                           BpeSymbols::kBytes);
  parts.added_tokens = config.added_tokens;
  SGLRUN_RETURN_IF_ERROR(AddToVocabulary(parts.added_tokens, parts.vocabulary));
  SGLRUN_RETURN_IF_ERROR(ApplyConfig(config, {.bos = family.bos, .eos = kEndOfText}, parts));
  return AssembleTokenizer(std::move(parts));
}

}  // namespace sglrun::tokenizer
