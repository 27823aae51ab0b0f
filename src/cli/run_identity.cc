#include "cli/run_identity.h"

#include <filesystem>
#include <type_traits>

#include "base/hash.h"
#include "base/mapped_file.h"
#include "cli/version.h"

namespace sglrun::cli {
namespace {

template <class T>
void AppendList(const std::vector<T>& items, std::string& out) {
  for (const T& item : items) {
    if constexpr (std::is_same_v<T, std::string>) {
      out += item;
    } else {
      out += Json(static_cast<double>(item)).Dump();
    }
    out += '\0';
  }
  out += '\n';
}

std::string GgufContent(const model::GgufTokenizerFields& fields) {
  std::string content = fields.model + '\n' + fields.pre + '\n' + fields.chat_template + '\0';
  for (const auto& [name, text] : fields.named_chat_templates) content += name + '\n' + text + '\0';
  AppendList(fields.tokens, content);
  AppendList(fields.merges, content);
  AppendList(fields.scores, content);
  AppendList(fields.token_types, content);
  for (const auto& id :
       {fields.bos_id, fields.eos_id, fields.eot_id, fields.unk_id, fields.pad_id}) {
    content += std::to_string(id.value_or(-1)) + '\n';
  }
  for (const auto& flag :
       {fields.add_bos, fields.add_eos, fields.add_space_prefix, fields.remove_extra_whitespaces}) {
    content += flag ? (*flag ? "yes\n" : "no\n") : "unset\n";
  }
  return content;
}

Result<std::string> TokenizerContent(const Options& options, const model::ModelFiles& files) {
  const std::string& path = options.tokenizer.empty() ? options.model : options.tokenizer;
  if (options.tokenizer.empty() && files.is_gguf()) return GgufContent(*files.gguf_tokenizer());
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    SGLRUN_ASSIGN_OR_RETURN(const auto fields, model::ModelFiles::ReadGgufTokenizer(path));
    if (fields) return GgufContent(*fields);
  }
  std::string content;
  for (const std::string& file : tokenizer::Tokenizer::FilesOf(path)) {
    SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    content += HashBytes(text).ToHex() + '\n';
  }
  return content;
}

// A directory's tokenizer files may change under the same weights. All that decides the ids: the
// files themselves, and of a GGUF the fields that hold the tokenizer.
Result<std::string> TokenizerFingerprint(const Options& options, const ModelSource& source) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string content, TokenizerContent(options, source.files));
  return HashBytes(source.tokenizer->Description() + '\n' + content).ToHex();
}

// The templates themselves, wherever they stand. A GGUF's own are part of its tokenizer's fields.
std::string TemplateFingerprint(const Options& options, const ModelSource& source) {
  const bool in_gguf =
      options.tokenizer.empty() ? source.files.is_gguf() : IsGguf(options.tokenizer);
  if (options.chat_template.empty() && in_gguf) return "";
  const auto& files = source.templates;
  // Files that cannot be read fail the records with messages, not the run.
  if (!files.ok()) return HashBytes(files.error().message).ToHex();
  std::string content;
  for (const auto& entry : files->templates) content += entry.name + '\n' + entry.text + '\0';
  return HashBytes(content).ToHex();
}

}  // namespace

Result<Json> RunIdentity(const Options& options, const ModelSource& source,
                         const kernels::Backend& backend, const Hash128& weights) {
  const tensor::DType dtype = WeightDType(options, source.files, backend);
  Options effective = options;
  effective.dtype = tensor::DTypeName(dtype);
  effective.kv_dtype = tensor::DTypeName(KvDType(options, dtype));
  effective.isa = backend.isa.empty() ? backend.name : backend.isa;
  effective.context_length = PromptLimitsOf(options, source.files.spec()).context_length;

  Json::Object identity;
  identity.emplace_back("version", std::string(Version()));
  identity.emplace_back("model", nullptr);
  for (const OptionSpec& option : OptionTable()) {
    if (!option.shapes_results || (option.commands & Bit(Command::kBatch)) == 0) continue;
    identity.emplace_back(std::string(option.name), OptionValue(option, effective));
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string tokenizer, TokenizerFingerprint(options, source));
  for (auto& [name, value] : identity) {
    if (name == "tokenizer") value = tokenizer;
    if (name == "template") value = TemplateFingerprint(options, source);
    if (name == "model") value = weights.ToHex();
  }
  identity.emplace_back("defaults", SamplingDefaultsJson(EffectiveDefaults(
                                        options, source.files.generation_defaults())));
  identity.emplace_back(
      kShardName, std::to_string(options.shard.index) + "/" + std::to_string(options.shard.count));
  return Json(std::move(identity));
}

Json EffectiveOptions(const Options& options) {
  const Options unset;
  Json::Object values;
  for (const OptionSpec& option : OptionTable()) {
    // --set is part of what --sampling shows.
    if ((option.commands & Bit(Command::kBatch)) == 0 || option.kind == Kind::kAssignment) continue;
    Json value = OptionValue(option, options);
    // The value that stands for "not given" is an empty text or a number that means something else,
    // which the row of the table says in words.
    const bool has_words = !option.default_text.empty();
    const bool is_unset = has_words && value.Dump() == OptionValue(option, unset).Dump();
    if (is_unset || (value.is_string() && value.as_string().empty())) value = nullptr;
    values.emplace_back(std::string(option.name), std::move(value));
  }
  return values;
}

Json SamplingDefaultsJson(const SamplingParams& defaults) {
  return Json::Object{{"temperature", defaults.temperature},
                      {"top_p", defaults.top_p},
                      {"top_k", defaults.top_k == kTopKAll ? std::int64_t{-1} : defaults.top_k},
                      {"min_p", defaults.min_p},
                      {"repetition_penalty", defaults.repetition_penalty}};
}

}  // namespace sglrun::cli
