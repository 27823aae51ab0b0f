#include "serve/load.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "model/files/find_model.h"
#include "model/weights/available_memory.h"
#include "serve/load_chat_template.h"

namespace sglrun::serve {
namespace {

bool IsTokenizerDirectory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) &&
         !tokenizer::Tokenizer::FilesOf(path).empty();
}

Result<std::unique_ptr<tokenizer::Tokenizer>> TokenizerOf(const model::GgufTokenizerFields* fields,
                                                          const std::string& path) {
  if (fields == nullptr) return Error{path + " holds no tokenizer; name one with --tokenizer"};
  return tokenizer::Tokenizer::FromGguf(ToVocabulary(*fields));
}

Result<std::unique_ptr<tokenizer::Tokenizer>> TokenizerAt(const std::string& path) {
  if (!IsGguf(path)) return tokenizer::Tokenizer::Load(path);
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<model::GgufTokenizerFields> fields,
                          model::ModelFiles::ReadGgufTokenizer(path));
  return TokenizerOf(fields ? &*fields : nullptr, path);
}

Status RequireModel(const ServeSettings& settings) {
  if (!settings.model.empty()) return {};
  return Error{"--model (-m) is missing: a Hugging Face directory or a .gguf file"};
}

// The number of physical cores: two hyperthreads of one core count once.
int PhysicalCores() {
  const int logical = AvailableCores();
  std::set<std::string> cores;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
    std::string list;
    if (!std::getline(siblings, list)) break;
    cores.insert(list);
  }
  return cores.empty() ? logical : std::clamp(static_cast<int>(cores.size()), 1, logical);
}

}  // namespace

bool IsGguf(const std::string& path) {
  if (path.ends_with(".gguf")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic = {};
  file.read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "GGUF";
}

tokenizer::GgufVocabulary ToVocabulary(const model::GgufTokenizerFields& fields) {
  return {.model = fields.model,
          .pre = fields.pre,
          .tokens = fields.tokens,
          .scores = fields.scores,
          .token_types = fields.token_types,
          .merges = fields.merges,
          .bos_id = fields.bos_id,
          .eos_id = fields.eos_id,
          .eot_id = fields.eot_id,
          .unk_id = fields.unk_id,
          .pad_id = fields.pad_id,
          .add_bos = fields.add_bos,
          .add_eos = fields.add_eos,
          .add_space_prefix = fields.add_space_prefix,
          .remove_extra_whitespaces = fields.remove_extra_whitespaces,
          .chat_template = fields.chat_template,
          .named_chat_templates = fields.named_chat_templates};
}

Status FindModels(std::string& model, std::string& model_name, std::string& tokenizer,
                  NeededFiles needed) {
  if (!model.empty() && (needed == NeededFiles::kModel || !IsTokenizerDirectory(model))) {
    SGLRUN_ASSIGN_OR_RETURN(const model::FoundModel found, model::FindModel(model));
    if (found.path != model) LogInfo("the model " + model + " is " + found.path);
    model = found.path;
    model_name = found.name;
  }
  if (tokenizer.empty() || IsTokenizerDirectory(tokenizer)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const model::FoundModel found, model::FindModel(tokenizer));
  tokenizer = found.path;
  return {};
}

Result<std::unique_ptr<tokenizer::Tokenizer>> LoadTokenizer(const ServeSettings& settings) {
  if (!settings.tokenizer.empty()) return TokenizerAt(settings.tokenizer);
  SGLRUN_RETURN_IF_ERROR(RequireModel(settings));
  return TokenizerAt(settings.model);
}

Result<model::ModelFiles> OpenModelFiles(const ServeSettings& settings) {
  SGLRUN_RETURN_IF_ERROR(RequireModel(settings));
  SGLRUN_ASSIGN_OR_RETURN(model::ModelFiles files, model::ModelFiles::Open(settings.model));
  if (settings.context_length > files.spec().context_length) {
    return Error{"--context-length is " + FormatCount(settings.context_length) +
                 ", the model has " + FormatCount(files.spec().context_length)};
  }
  return files;
}

Result<std::unique_ptr<tokenizer::Tokenizer>> FindTokenizer(const ServeSettings& settings,
                                                            const model::ModelFiles& files) {
  if (!settings.tokenizer.empty()) return TokenizerAt(settings.tokenizer);
  if (files.is_gguf()) return TokenizerOf(files.gguf_tokenizer(), settings.model);
  return TokenizerAt(settings.model);
}

Result<ModelSource> OpenModel(const ServeSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(model::ModelFiles files, OpenModelFiles(settings));
  SGLRUN_ASSIGN_OR_RETURN(auto tokenizer, FindTokenizer(settings, files));
  auto templates = FindChatTemplates(settings, &files);
  SGLRUN_ASSIGN_OR_RETURN(AdapterList adapters, AdapterList::Open(settings, files));
  return ModelSource{std::move(files), std::move(tokenizer), std::move(templates),
                     std::move(adapters)};
}

// The threads of a step wait for one another, so more threads than cores cost time.
int HostThreads(const ServeSettings& settings) {
  if (settings.threads == 0) return PhysicalCores();
  if (settings.threads <= AvailableCores()) return static_cast<int>(settings.threads);
  LogWarning("--threads is " + FormatCount(settings.threads) + ", this machine has " +
             std::to_string(AvailableCores()) + " cores; as many threads are used");
  return AvailableCores();
}

Compute::Compute(const ServeSettings& settings) : pool(HostThreads(settings)), context(pool) {}

tensor::DType WeightDType(const ServeSettings& settings, const model::ModelFiles& files,
                          const kernels::Backend& backend) {
  if (settings.dtype) return *settings.dtype;
  std::int64_t f32 = 0, f16 = 0, all = 0;
  for (const model::TensorSource& source : files.tensors()) {
    // What a quantised checkpoint leaves plain says nothing about the rest.
    if (source.is_companion) return tensor::DType::kBF16;
    all += source.bytes;
    if (source.type == "F32") f32 += source.bytes;
    if (source.type == "F16") f16 += source.bytes;
  }
  if (f32 * 2 > all) return tensor::DType::kF32;
  if (f16 * 2 > all && backend.keeps_f16) return tensor::DType::kF16;
  return tensor::DType::kBF16;
}

tensor::DType DeviceDType(const ServeSettings& settings, const model::ModelFiles& files) {
  return WeightDType(settings, files, kernels::PlanningBackend());
}

tensor::DType KvDType(const ServeSettings& settings, tensor::DType weights) {
  if (settings.kv_dtype) return *settings.kv_dtype;
  return weights == tensor::DType::kF32 ? tensor::DType::kF32 : tensor::DType::kBF16;
}

model::LoadOptions LoadOptionsOf(const ServeSettings& settings, const model::ModelFiles& files,
                                 const kernels::Backend& backend) {
  return {.dtype = WeightDType(settings, files, backend), .backend = &backend};
}

Result<std::unique_ptr<model::Model>> LoadModel(const ServeSettings& settings,
                                                const model::ModelFiles& files,
                                                const kernels::Backend& backend, Compute& compute,
                                                const AdapterList& adapters) {
  model::LoadOptions options = LoadOptionsOf(settings, files, backend);
  options.adapters = adapters.files();
  return model::Model::Load(files, options, compute.context);
}

SamplingParams EffectiveDefaults(const ServeSettings& settings,
                                 const model::GenerationDefaults& model) {
  SamplingParams defaults;
  if (settings.sampling_defaults == SamplingDefaults::kBuiltIn) return defaults;
  defaults.temperature = model.temperature.value_or(defaults.temperature);
  defaults.top_p = model.top_p.value_or(defaults.top_p);
  defaults.min_p = model.min_p.value_or(defaults.min_p);
  defaults.repetition_penalty = model.repetition_penalty.value_or(defaults.repetition_penalty);
  // In Hugging Face files 0 means "no limit", in a request -1.
  const std::int64_t top_k = model.top_k.value_or(defaults.top_k);
  defaults.top_k = top_k == 0 || top_k == -1 ? kTopKAll : top_k;
  return defaults;
}

std::int64_t CacheMemory::BytesOf(std::int64_t available) const {
  if (kind == Kind::kPercent) return available / 100 * value;
  return value;
}

engine::EngineOptions EngineOptionsOf(const ServeSettings& settings, tensor::DType kv_dtype,
                                      const kernels::Backend& backend) {
  return {
      .max_rows = settings.max_rows,
      .max_batch_tokens = settings.max_batch_tokens,
      .kv_memory_bytes = settings.kv_memory.BytesOf(model::AvailableMemory(backend).value_or(0)),
      .kv_dtype = kv_dtype,
      .context_length = settings.context_length,
      .logprobs_mode = settings.logprobs_mode,
      .grammar = settings.grammar,
      .jump_forward = settings.jump_forward,
      .reasoning_end = settings.reasoning_end,
      .partial_results = settings.partial_results};
}

engine::PromptLimits PromptLimitsOf(const ServeSettings& settings, const model::ModelSpec& spec) {
  return {
      .context_length = settings.context_length > 0 ? settings.context_length : spec.context_length,
      .vocab_size = spec.vocab_size,
      .hidden_size = spec.hidden_size,
      .reasoning_end = settings.reasoning_end};
}

std::vector<std::int32_t> StopTokenIds(const ModelSource& source) {
  std::set<std::int32_t> ids(source.files.special_tokens().eos.begin(),
                             source.files.special_tokens().eos.end());
  for (const tokenizer::TokenId id : source.tokenizer->StopIds()) ids.insert(id);
  return {ids.begin(), ids.end()};
}

}  // namespace sglrun::serve
