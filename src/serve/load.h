// From --model, --tokenizer and related options to the objects that commands use. Models are opened
// only here, so that all commands report the same errors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "chat_template/chat_template.h"
#include "engine/engine.h"
#include "kernels/backend.h"
#include "kernels/cuda/backend.h"
#include "model/files/model_files.h"
#include "model/model.h"
#include "request/sampling_params.h"
#include "serve/adapters.h"
#include "serve/settings.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::serve {

// Replaces the values of --model and --tokenizer by paths (model/files/find_model.h). Where only the
// tokenizer is needed, a directory that has one is kept, whatever GGUF files lie beside it.
enum class NeededFiles : std::uint8_t { kModel, kTokenizer };
Status FindModels(std::string& model, std::string& model_name, std::string& tokenizer,
                  NeededFiles needed = NeededFiles::kModel);

// Recognised by its name or its first bytes, because a download cache names files by their hash.
bool IsGguf(const std::string& path);
tokenizer::GgufVocabulary ToVocabulary(const model::GgufTokenizerFields& fields);

// The tokenizer alone: the model may have no weights.
Result<std::unique_ptr<tokenizer::Tokenizer>> LoadTokenizer(const ServeSettings& settings);

// A model before its weights are read, as `plan` needs it. All parts are read at the start, so that
// they belong together even if the files change later.
struct ModelSource {
  model::ModelFiles files;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  // An error affects only records that need a template.
  Result<chat_template::ChatTemplateFiles> templates = chat_template::ChatTemplateFiles();
  AdapterList adapters = {};
};
Result<ModelSource> OpenModel(const ServeSettings& settings);
// The same in two steps; FindTokenizer uses the tokenizer of the model files unless --tokenizer
// names another.
Result<model::ModelFiles> OpenModelFiles(const ServeSettings& settings);
Result<std::unique_ptr<tokenizer::Tokenizer>> FindTokenizer(const ServeSettings& settings,
                                                            const model::ModelFiles& files);

// --threads, limited to the number of cores.
int HostThreads(const ServeSettings& settings);

// Threads, scratch and the device, if there is one. Members point to each other, so it must not be
// moved. It must outlive the models and engines created with it.
struct Compute {
  explicit Compute(const ServeSettings& settings);
  explicit Compute(int threads) : pool(threads), context(pool) {}
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  std::unique_ptr<kernels::DeviceBackend> device;
  ThreadPool pool;
  kernels::KernelContext context;
};

// The backend of --device and --isa. `compute` keeps the device and the library for products of
// that weight type (DeviceDType). ChooseBackend refuses several devices; OpenDevice opens one of
// DeviceCount.
Result<const kernels::Backend*> ChooseBackend(const ServeSettings& settings, tensor::DType weights,
                                              Compute& compute);
Result<const kernels::Backend*> OpenDevice(const ServeSettings& settings, tensor::DType weights,
                                           std::size_t which, Compute& compute);
std::size_t DeviceCount(const ServeSettings& settings);
// Refuses a --kv-dtype that devices do not support, also in plans for a card.
Status CheckDeviceCache(const ServeSettings& settings);
// Whether products of such weights go through cuBLASLt, where it is found.
bool WantsLibrary(const ServeSettings& settings, tensor::DType weights);

// The types of --dtype and --kv-dtype. `auto` is the form in which most weights are stored, if the
// backend supports it.
tensor::DType WeightDType(const ServeSettings& settings, const model::ModelFiles& files,
                          const kernels::Backend& backend);
// On a device, before there is one.
tensor::DType DeviceDType(const ServeSettings& settings, const model::ModelFiles& files);
tensor::DType KvDType(const ServeSettings& settings, tensor::DType weights);

// With the type of --dtype.
model::LoadOptions LoadOptionsOf(const ServeSettings& settings, const model::ModelFiles& files,
                                 const kernels::Backend& backend);
Result<std::unique_ptr<model::Model>> LoadModel(const ServeSettings& settings,
                                                const model::ModelFiles& files,
                                                const kernels::Backend& backend, Compute& compute,
                                                const AdapterList& adapters = {});

// The built-in sampling parameters, overridden by generation_config.json if --sampling-defaults is
// `model`.
SamplingParams EffectiveDefaults(const ServeSettings& settings,
                                 const model::GenerationDefaults& model);

engine::EngineOptions EngineOptionsOf(const ServeSettings& settings, tensor::DType kv_dtype,
                                      const kernels::Backend& backend);
engine::PromptLimits PromptLimitsOf(const ServeSettings& settings, const model::ModelSpec& spec);

// Tokens that end a text: the model's own and the tokenizer's, ascending.
std::vector<std::int32_t> StopTokenIds(const ModelSource& source);

}  // namespace sglrun::serve
