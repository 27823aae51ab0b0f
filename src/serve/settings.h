// What opening a model and making its engines depend on. The command line decodes it once
// (cli/settings.h); paths are "" where none was given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "grammar/ir/options.h"
#include "serve/device_list.h"
#include "tensor/dtype.h"

namespace sglrun::serve {

// How much memory keys and values get.
struct CacheMemory {
  enum class Kind : std::uint8_t { kAuto, kBytes, kPercent };

  Kind kind = Kind::kAuto;
  std::int64_t value = 0;  // bytes, or hundredths of what is available

  bool is_auto() const { return kind == Kind::kAuto; }
  // 0 where the engine chooses.
  std::int64_t BytesOf(std::int64_t available) const;
};

enum class SamplingDefaults : std::uint8_t {
  kModel,    // generation_config.json, where the model has one
  kBuiltIn,  // those of the OpenAI API, whatever the model says
};

// Which implementation runs on the CPU.
enum class HostKernels : std::uint8_t { kBest, kReference, kNamed };

// An adapter (LoRA) and the name by which records choose it.
struct AdapterPlace {
  std::string name, path;
};

struct ServeSettings {
  std::string model;          // a directory or a GGUF file, once FindModels has found it
  std::string model_name;     // from there as well
  std::string tokenizer;      // in place of the model's own
  std::string chat_template;  // a file, in place of the model's templates
  std::vector<AdapterPlace> adapters = {};
  std::string adapter_root = {};  // where adapters are looked up that are not found as given
  bool plain_content = false;     // text of conversations holds no special tokens

  DeviceList devices;
  HostKernels host_kernels = HostKernels::kBest;
  std::string isa = "auto";                      // the name of kNamed, as typed
  std::optional<tensor::DType> dtype, kv_dtype;  // nothing: by the files of the model
  bool deterministic = false;
  std::int64_t threads = 0;  // 0: physical cores

  std::int64_t max_rows = 64;
  std::int64_t max_batch_tokens = 512;
  CacheMemory kv_memory;
  std::int64_t context_length = 0;  // 0: the model's
  SamplingDefaults sampling_defaults = SamplingDefaults::kModel;
  engine::LogprobsMode logprobs_mode = engine::LogprobsMode::kSampled;
  grammar::GrammarOptions grammar;
  bool jump_forward = false;
  std::string reasoning_end = std::string(engine::kDefaultReasoningEnd);
  bool partial_results = false;
};

}  // namespace sglrun::serve
