// Plans of a device's memory against what the simulated device really gives, and the words when it
// does not suffice.
#include "serve/card_plan.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "engine/memory_plan.h"
#include "engine/sequence.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/out_of_memory.h"
#include "kernels/cuda/sim/heap.h"
#include "serve/load.h"

#include <doctest/doctest.h>

namespace sglrun::serve {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

ServeSettings SampleSettings() {
  ServeSettings settings;
  settings.model = std::string(SGLRUN_SOURCE_DIR) + "/samples/model";
  settings.devices = ParseDevices("sim");
  settings.threads = 1;
  return settings;
}

// An engine on a device with so much free memory, or why there is none.
class OnDevice {
 public:
  OnDevice(const ServeSettings& settings, std::int64_t free) : compute_(settings) {
    auto source = OpenModel(settings);
    REQUIRE(source.ok());
    auto backend = OpenDevice(settings, DeviceDType(settings, source->files), 0, compute_);
    REQUIRE(backend.ok());
    sim::SetDeviceMemoryTotal(total_ - sim::DeviceMemoryFree() + static_cast<std::size_t>(free));
    auto model = LoadModel(settings, source->files, **backend, compute_);
    if (!model.ok()) {
      error = model.error();
      return;
    }
    weight_bytes = (*model)->weight_bytes();
    const tensor::DType kv = KvDType(settings, WeightDType(settings, source->files, **backend));
    auto engine = engine::Engine::Create(
        **model, *source->tokenizer, EngineOptionsOf(settings, kv, **backend), compute_.context);
    if (!engine.ok()) {
      error = engine.error();
      return;
    }
    pages = (*engine)->stats().kv_pages;
    engine_ = std::move(*engine);
    model_ = std::move(*model);
    source_ = std::make_unique<ModelSource>(std::move(*source));
  }
  // From now on the device has so much free memory and no more.
  void LeaveFree(std::int64_t free) {
    sim::SetDeviceMemoryTotal(sim::DeviceMemoryTotal() - sim::DeviceMemoryFree() +
                              static_cast<std::size_t>(free));
  }
  // Buffers that were given back: others took their place, and graphs are made anew.
  std::uint64_t Frees() {
    return static_cast<kernels::cuda::DeviceAllocator&>(
               static_cast<kernels::cuda::DeviceState*>(model_->backend().device)->allocator())
        .frees();
  }
  GenerateResult Run(std::size_t prompt, std::int64_t top_logprobs) {
    Submit(prompt, top_logprobs);
    return std::move(Finish().front());
  }
  std::vector<GenerateResult> Finish() {
    std::vector<GenerateResult> results;
    while (engine_->HasWork()) {
      for (GenerateResult& result : engine_->Step()) results.push_back(std::move(result));
    }
    return results;
  }
  void Submit(std::size_t prompt, std::int64_t top_logprobs) {
    auto params = std::make_shared<SamplingParams>();
    params->top_k = 1;
    params->max_new_tokens = 3;
    params->max_new_tokens_stated = params->ignore_eos = true;
    GenerateRequest request;
    request.input_ids = std::vector<std::int32_t>(prompt, 5);
    request.sampling = std::move(params);
    request.return_logprob = true;
    request.top_logprobs_num = top_logprobs;
    auto sequence = engine_->Admit(std::move(request));
    REQUIRE(sequence.ok());
    engine_->Submit(std::move(*sequence));
  }
  ~OnDevice() { sim::SetDeviceMemoryTotal(total_); }

  Error error;
  std::int64_t weight_bytes = 0, pages = 0;

 private:
  const std::size_t total_ = sim::DeviceMemoryTotal();
  Compute compute_;
  std::unique_ptr<ModelSource> source_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<engine::Engine> engine_;
};

// The sentence of OutOfMemory and what is missing, of work in a process of its own: half a step is
// left behind.
std::pair<Shortage, std::string> InAProcess(const std::function<void()>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    try {
      work();
    } catch (const OutOfMemory& problem) {
      std::fputs(problem.what(), stderr);
      _exit(static_cast<int>(problem.shortage()));
    }
    _exit(static_cast<int>(Shortage::kNone));
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  return {static_cast<Shortage>(WEXITSTATUS(status)), text};
}

bool Names(const std::string& words, std::initializer_list<const char*> parts) {
  INFO(words);
  for (const char* part : parts) {
    if (words.find(part) == std::string::npos) return false;
  }
  return true;
}

TEST_CASE("a plan for a card has the weights to the byte, and the pages that an engine takes") {
  for (const std::optional<tensor::DType> dtype :
       {std::optional<tensor::DType>(), std::optional(tensor::DType::kF32),
        std::optional(tensor::DType::kF16), std::optional(tensor::DType::kI8),
        std::optional(tensor::DType::kI4)}) {
    CAPTURE((dtype ? tensor::DTypeName(*dtype) : "by the files"));
    ServeSettings settings = SampleSettings();
    settings.dtype = dtype;
    settings.max_batch_tokens = 64;
    settings.max_rows = 8;
    const auto source = OpenModel(settings);
    REQUIRE(source.ok());
    const auto plan = PlanMemory(settings, source->files, 128 * kMiB);
    REQUIRE_MESSAGE(plan.ok(), plan.error().message);
    const OnDevice device(settings, 128 * kMiB);
    REQUIRE_MESSAGE(device.error.message == "", device.error.message);
    CHECK(plan->weights == device.weight_bytes);
    CHECK(plan->pages == device.pages);
  }
}

TEST_CASE("what limits the cache is the card, less what the weights and a step take") {
  ServeSettings settings = SampleSettings();
  settings.max_rows = 4096;
  settings.max_batch_tokens = 4096;
  const auto source = OpenModel(settings);
  REQUIRE(source.ok());
  const auto small = PlanMemory(settings, source->files, 400 * kMiB);
  const auto large = PlanMemory(settings, source->files, 800 * kMiB);
  REQUIRE_MESSAGE(small.ok(), small.error().message);
  REQUIRE_MESSAGE(large.ok(), large.error().message);
  CHECK(small->weights == large->weights);
  CHECK(small->pages < large->pages);
  CHECK(small->weights + small->workspace() + small->kv <= 400 * kMiB);
  const OnDevice device(settings, 400 * kMiB);
  REQUIRE_MESSAGE(device.error.message == "", device.error.message);
  // Loading keeps some scratch.
  CHECK(device.pages <= small->pages);
  CHECK(device.pages > small->pages * 95 / 100);
}

TEST_CASE("a device that is too small is refused with what was needed and what was free") {
  const auto refused = [](const ServeSettings& settings, std::int64_t free, Shortage shortage,
                          std::initializer_list<const char*> parts) {
    const Error error = OnDevice(settings, free).error;
    CHECK(error.shortage == shortage);
    CHECK(Names(error.message, parts));
  };
  const ServeSettings settings = SampleSettings();
  refused(settings, kMiB / 2, Shortage::kWeights,
          {"the weights need", "are available on the device"});
  ServeSettings large_steps = settings;
  large_steps.max_batch_tokens = 100'000;
  refused(large_steps, 64 * kMiB, Shortage::kActivations, {"activations of a step", "are free"});
  ServeSettings large_cache = settings;
  large_cache.kv_memory = {CacheMemory::Kind::kBytes, 1024 * kMiB};
  refused(large_cache, 64 * kMiB, Shortage::kCache, {"key-value cache needs 1", "are free"});
}

TEST_CASE("steps need no memory that an engine did not take when it began") {
  ServeSettings settings = SampleSettings();
  settings.max_batch_tokens = 200;
  settings.max_rows = 2;
  OnDevice device(settings, 128 * kMiB);
  REQUIRE_MESSAGE(device.error.message == "", device.error.message);
  device.LeaveFree(kMiB / 4);  // for the arrays of a draw and of a graph
  // Two chunks of a prompt, keys in two splits.
  CHECK(device.Run(258, 2).output_ids.size() == 3);
}

TEST_CASE("an odd number of rows, which is filled up, finds room as large as that") {
  ServeSettings settings = SampleSettings();
  settings.max_batch_tokens = 9;
  settings.max_rows = 9;
  const auto source = OpenModel(settings);
  REQUIRE(source.ok());
  const auto plan = PlanMemory(settings, source->files, 128 * kMiB);
  REQUIRE(plan.ok());
  CHECK(plan->activations == model::Model::ActivationBytes(source->files.spec(), 16));
  OnDevice device(settings, 128 * kMiB);
  REQUIRE_MESSAGE(device.error.message == "", device.error.message);
  const std::uint64_t frees = device.Frees();
  for (int i = 0; i < 9; ++i) device.Submit(1, 0);
  CHECK(device.Finish().size() == 9);
  CHECK(device.Frees() == frees);
}

TEST_CASE(
    "a step is planned for no longer a text than the cache or the windows of attention hold") {
  const auto source = OpenModel(SampleSettings());
  REQUIRE(source.ok());
  model::ModelSpec spec = source->files.spec();
  REQUIRE(spec.layers.size() == 4);
  for (model::LayerSpec& layer : spec.layers) layer.mixer.heads = 32;
  const engine::StepSizes sizes{.tokens = 64, .rows = 64, .context_length = 131072};
  const std::int64_t whole = engine::StepScratchBytes(sizes, spec);
  CHECK(whole == 64LL * 32 * 512 * (spec.layers[0].mixer.head_dim + 2) * 4);
  const std::int64_t windows[] = {4096, 1024, 4096, 512};
  for (std::size_t i = 0; i < 4; ++i) spec.layers[i].mixer.window = windows[i];
  CHECK(engine::StepScratchBytes(sizes, spec) == whole / 512 * 17);
  spec.layers[1].mixer.window = 0;  // a layer that sees all
  CHECK(engine::StepScratchBytes(sizes, spec) == whole);
  engine::MemoryNeeds needs{
      .page_bytes = 1024, .max_rows = 64, .context_length = 131072, .kv_memory_bytes = 1 << 20};
  CHECK(engine::WithinCache(sizes, needs).context_length == 1024 * kernels::kPageSize);
  needs.kv_memory_bytes = 1;  // none is to be had
  CHECK(engine::WithinCache(sizes, needs).context_length == 131072);
}

TEST_CASE("running out of device memory in a step ends the program with what was needed") {
  const auto [shortage, text] = InAProcess([] {
    ServeSettings settings = SampleSettings();
    settings.max_batch_tokens = 64;
    settings.max_rows = 2;
    OnDevice device(settings, 128 * kMiB);
    device.LeaveFree(0);
    device.Run(8, 300);
  });
  CHECK(shortage == Shortage::kRunningStep);
  CHECK(Names(text, {"the device is out of memory: ",
                     " are needed for the arrays of a step, 0 B are free"}));
}

TEST_CASE("running out of pinned memory is reported as host memory") {
  const auto [shortage, text] =
      InAProcess([] { kernels::cuda::ThrowOutOfPinnedMemory("results", 4096); });
  CHECK(shortage == Shortage::kPinned);
  CHECK(text == "the host has no more pinned memory: 4.0 KiB are needed for results");
}

TEST_CASE("cuBLASLt gets its room on a card where it takes the weights") {
  ServeSettings settings = SampleSettings();
  const auto source = OpenModel(settings);
  REQUIRE(source.ok());
  CHECK(PlanCard(settings, source->files, 1024 * kMiB).value().products ==
        kernels::kProductsWorkspace);
  settings.dtype = tensor::DType::kI8;
  CHECK(PlanCard(settings, source->files, 1024 * kMiB).value().products == 0);
}

TEST_CASE("a plan for a card that is too small says what was needed and what there is") {
  const auto refusal = [](const ServeSettings& settings, std::int64_t memory) {
    const auto source = OpenModel(settings);
    REQUIRE(source.ok());
    const auto plan = PlanCard(settings, source->files, memory);
    return plan.ok() ? Error{} : plan.error();
  };
  const ServeSettings settings = SampleSettings();
  CHECK(refusal(settings, 1024 * kMiB).message == "");
  const Error weights = refusal(settings, 600 * kMiB);
  CHECK(weights.shortage == Shortage::kWeightsAndStep);
  CHECK(Names(weights.message, {"the weights need", "the card has 0"}));
  ServeSettings large_cache = settings;
  large_cache.kv_memory = {CacheMemory::Kind::kBytes, 2048 * kMiB};
  const Error cache = refusal(large_cache, 1024 * kMiB);
  CHECK(cache.shortage == Shortage::kDeviceStep);
  CHECK(Names(cache.message, {"keys and values of 2.0 GiB"}));
}

}  // namespace
}  // namespace sglrun::serve
