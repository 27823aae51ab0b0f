#include "cli/run_identity.h"

#include "base/hash.h"
#include "cli/version.h"

namespace sglrun::cli {
namespace {

// A directory's tokenizer files may change under the same weights.
std::string TokenizerFingerprint(const tokenizer::Tokenizer& tokenizer) {
  std::string names = tokenizer.Description();
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    names += tokenizer.TokenName(id);
    names += '\n';
  }
  return HashBytes(names).ToHex();
}

}  // namespace

Json RunIdentity(const Options& options, const ModelSource& source,
                 const kernels::Backend& backend) {
  const tensor::DType dtype = WeightDType(options, source.files);
  Options effective = options;
  effective.dtype = tensor::DTypeName(dtype);
  effective.kv_dtype = tensor::DTypeName(KvDType(options, dtype));
  effective.isa = backend.isa.empty() ? backend.name : backend.isa;
  effective.context_length = PromptLimitsOf(options, source.files.config()).context_length;

  Json::Object identity;
  identity.emplace_back("version", std::string(Version()));
  identity.emplace_back("model", source.files.Fingerprint().ToHex());
  for (const OptionSpec& option : OptionTable()) {
    if (!option.shapes_results || (option.commands & Bit(Command::kBatch)) == 0) continue;
    identity.emplace_back(std::string(option.name), OptionValue(option, effective));
  }
  for (auto& [name, value] : identity) {
    if (name == "tokenizer") value = TokenizerFingerprint(*source.tokenizer);
  }
  identity.emplace_back("defaults", SamplingDefaultsJson(EffectiveDefaults(
                                        options, source.files.generation_defaults())));
  identity.emplace_back(
      kShardName, std::to_string(options.shard.index) + "/" + std::to_string(options.shard.count));
  return identity;
}

Json EffectiveOptions(const Options& options) {
  Json::Object values;
  for (const OptionSpec& option : OptionTable()) {
    // --set is part of what --sampling shows.
    if ((option.commands & Bit(Command::kBatch)) == 0 || option.kind == Kind::kAssignment) continue;
    values.emplace_back(std::string(option.name), OptionValue(option, options));
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
