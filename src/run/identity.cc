#include "run/identity.h"

#include <filesystem>
#include <map>
#include <type_traits>

#include "base/hash.h"
#include "base/mapped_file.h"
#include "console/version.h"

namespace sglrun::run {
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

Result<std::string> TokenizerContent(const serve::ServeSettings& settings,
                                     const model::ModelFiles& files) {
  const std::string& path = settings.tokenizer.empty() ? settings.model : settings.tokenizer;
  if (settings.tokenizer.empty() && files.is_gguf()) return GgufContent(*files.gguf_tokenizer());
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

// A directory's tokenizer files may change under the same weights. Hashes all that decides the
// ids: the files themselves, or the fields of a GGUF that hold the tokenizer.
Result<std::string> TokenizerFingerprint(const serve::ServeSettings& settings,
                                         const serve::ModelSource& source) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string content, TokenizerContent(settings, source.files));
  return HashBytes(source.tokenizer->Description() + '\n' + content).ToHex();
}

// The templates themselves, wherever they stand. A GGUF's own are part of its tokenizer's fields.
std::string TemplateFingerprint(const serve::ServeSettings& settings,
                                const serve::ModelSource& source) {
  const bool in_gguf =
      settings.tokenizer.empty() ? source.files.is_gguf() : serve::IsGguf(settings.tokenizer);
  if (settings.chat_template.empty() && in_gguf) return "";
  const auto& files = source.templates;
  // Files that cannot be read fail the records with messages, not the run.
  if (!files.ok()) return HashBytes(files.error().message).ToHex();
  std::string content;
  for (const auto& entry : files->templates) content += entry.name + '\n' + entry.text + '\0';
  return HashBytes(content).ToHex();
}

Json Without(const Json& identity, std::string_view name) {
  Json::Object rest;
  for (const Json::Member& member : identity.as_object()) {
    if (member.first != name) rest.push_back(member);
  }
  return rest;
}

}  // namespace

Result<Json> RunIdentity(const RunSettings& settings, const serve::ModelSource& source,
                         const kernels::Backend& backend, const Hash128& weights) {
  const serve::ServeSettings& serve = settings.serve;
  const tensor::DType dtype = serve::WeightDType(serve, source.files, backend);
  SGLRUN_ASSIGN_OR_RETURN(const std::string tokenizer, TokenizerFingerprint(serve, source));
  // An option's effective value where it decides, not what was typed.
  const std::map<std::string_view, Json> effective = {
      {"tokenizer", tokenizer},
      {"template", TemplateFingerprint(serve, source)},
      {"dtype", std::string(tensor::DTypeName(dtype))},
      {"kv-dtype", std::string(tensor::DTypeName(serve::KvDType(serve, dtype)))},
      {"lora", source.adapters.Fingerprints()},
      {kIsaName, std::string(backend.isa.empty() ? backend.name : backend.isa)},
      {"context-length", serve::PromptLimitsOf(serve, source.files.spec()).context_length}};

  Json::Object identity{{"version", std::string(console::Version())}, {"model", weights.ToHex()}};
  for (const auto& [name, value] : settings.shaping_options) {
    const auto at = effective.find(name);
    identity.emplace_back(name, at == effective.end() ? value : at->second);
  }
  identity.emplace_back("defaults", SamplingDefaultsJson(serve::EffectiveDefaults(
                                        serve, source.files.generation_defaults())));
  identity.emplace_back(kShardName, settings.records.shard.ToString());
  return Json(std::move(identity));
}

Json WithoutShard(const Json& identity) {
  return Without(identity, kShardName);
}

Json WithoutIsa(const Json& identity) {
  return Without(identity, kIsaName);
}

Json SamplingDefaultsJson(const SamplingParams& defaults) {
  return Json::Object{{"temperature", defaults.temperature},
                      {"top_p", defaults.top_p},
                      {"top_k", defaults.top_k == kTopKAll ? std::int64_t{-1} : defaults.top_k},
                      {"min_p", defaults.min_p},
                      {"repetition_penalty", defaults.repetition_penalty}};
}

}  // namespace sglrun::run
