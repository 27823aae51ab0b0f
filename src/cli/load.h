// From --model, --tokenizer and their neighbours to the objects that commands work with. The only
// place that opens models, so that every command refuses the same things in the same words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "chat_template/chat_template.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "kernels/backend.h"
#include "kernels/cuda/backend.h"
#include "model/files/model_files.h"
#include "model/model.h"
#include "request/sampling_params.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::cli {

// Puts paths in the place of what --model and --tokenizer name (model/files/find_model.h).
Status FindModels(Options& options);

// By its name or, since a cache of downloads names files by their hash, its first bytes.
bool IsGguf(const std::string& path);
tokenizer::GgufVocabulary ToVocabulary(const model::GgufTokenizerFields& fields);

// The tokenizer alone: the model may have no weights.
Result<std::unique_ptr<tokenizer::Tokenizer>> LoadTokenizer(const Options& options);

// A model before its weights are read: what `plan` needs. All of it is read at the start, so that
// parts belong together whatever becomes of the files meanwhile.
struct ModelSource {
  model::ModelFiles files;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  // An error fails what needs a template, and nothing else.
  Result<chat_template::ChatTemplateFiles> templates = chat_template::ChatTemplateFiles();
};
Result<ModelSource> OpenModel(const Options& options);
// The same in two steps; FindTokenizer takes what the files hold unless --tokenizer names another.
Result<model::ModelFiles> OpenModelFiles(const Options& options);
Result<std::unique_ptr<tokenizer::Tokenizer>> FindTokenizer(const Options& options,
                                                            const model::ModelFiles& files);

// --threads, as far as the machine has cores.
int HostThreads(const Options& options);

// Threads, scratch and the device, if there is one; members point at each other, so it stays where
// it was made. It outlives the models and engines that were made with it.
struct Compute {
  explicit Compute(const Options& options);
  explicit Compute(int threads) : pool(threads), context(pool) {}
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  std::unique_ptr<kernels::DeviceBackend> device;
  ThreadPool pool;
  kernels::KernelContext context;
};

// --device and --isa; a device is kept by `compute`, with what multiplies weights of that type on
// it (DeviceDType). ChooseBackend refuses several devices, OpenDevice gives one of DeviceCount.
Result<const kernels::Backend*> ChooseBackend(const Options& options, tensor::DType weights,
                                              Compute& compute);
Result<const kernels::Backend*> OpenDevice(const Options& options, tensor::DType weights,
                                           std::size_t which, Compute& compute);
std::size_t DeviceCount(const Options& options);
// Refuses a --kv-dtype that no device keeps, also for a card that is only planned with.
Status CheckDeviceCache(const Options& options);
// Whether products of such weights go through cuBLASLt, where it is found.
bool WantsLibrary(const Options& options, tensor::DType weights);

// --dtype and --kv-dtype; `auto` follows the form in which most weights are stored, as far as the
// backend keeps it. NamedDType: of a choice other than auto.
tensor::DType NamedDType(std::string_view name);
tensor::DType WeightDType(const Options& options, const model::ModelFiles& files,
                          const kernels::Backend& backend);
// On a device, before there is one.
tensor::DType DeviceDType(const Options& options, const model::ModelFiles& files);
tensor::DType KvDType(const Options& options, tensor::DType weights);

// With the type of --dtype.
model::LoadOptions LoadOptionsOf(const Options& options, const model::ModelFiles& files,
                                 const kernels::Backend& backend);
Result<std::unique_ptr<model::Model>> LoadModel(const Options& options,
                                                const model::ModelFiles& files,
                                                const kernels::Backend& backend, Compute& compute);

// The built-in sampling parameters with generation_config.json laid over, as --sampling-defaults
// asks for.
SamplingParams EffectiveDefaults(const Options& options, const model::GenerationDefaults& model);

engine::EngineOptions EngineOptionsOf(const Options& options, tensor::DType kv_dtype,
                                      const kernels::Backend& backend);
// --kv-memory in bytes, 0 for auto; a share is one of `available`.
std::int64_t KvMemoryBytes(const Options& options, std::int64_t available);
engine::PromptLimits PromptLimitsOf(const Options& options, const model::ModelSpec& spec);

// Tokens that end a text: the model's own and the tokenizer's, ascending.
std::vector<std::int32_t> StopTokenIds(const ModelSource& source);

}  // namespace sglrun::cli
