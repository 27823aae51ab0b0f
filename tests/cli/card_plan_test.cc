// Plans of a device's memory against what the simulated device really gives, and the words when it
// does not suffice.
#include "cli/card_plan.h"

#include <memory>

#include "cli/load.h"
#include "kernels/cuda/sim/heap.h"

#include <doctest/doctest.h>

namespace sglrun::cli {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Options SampleOptions() {
  Options options;
  options.model = std::string(SGLRUN_SOURCE_DIR) + "/samples/model";
  options.device = "sim";
  options.threads = 1;
  return options;
}

// An engine on a device with so much free memory, or why there is none.
class OnDevice {
 public:
  OnDevice(const Options& options, std::int64_t free) : compute_(options) {
    auto source = OpenModel(options);
    REQUIRE(source.ok());
    auto backend = OpenDevice(options, 0, compute_);
    REQUIRE(backend.ok());
    sim::SetDeviceMemoryTotal(total_ - sim::DeviceMemoryFree() + static_cast<std::size_t>(free));
    auto model = LoadModel(options, source->files, **backend, compute_);
    if (!model.ok()) {
      why = model.error().message;
      return;
    }
    weight_bytes = (*model)->weight_bytes();
    const tensor::DType kv = KvDType(options, WeightDType(options, source->files, **backend));
    auto engine = engine::Engine::Create(**model, *source->tokenizer,
                                         EngineOptionsOf(options, kv, **backend), compute_.context);
    if (!engine.ok()) {
      why = engine.error().message;
      return;
    }
    pages = (*engine)->stats().kv_pages;
  }
  ~OnDevice() { sim::SetDeviceMemoryTotal(total_); }

  std::string why;
  std::int64_t weight_bytes = 0, pages = 0;

 private:
  const std::size_t total_ = sim::DeviceMemoryTotal();
  Compute compute_;
};

bool Names(const std::string& words, std::initializer_list<const char*> parts) {
  INFO(words);
  for (const char* part : parts) {
    if (words.find(part) == std::string::npos) return false;
  }
  return true;
}

TEST_CASE("a plan for a card has the weights to the byte, and the pages that an engine takes") {
  for (const char* dtype : {"auto", "f32", "f16", "int8", "int4"}) {
    CAPTURE(dtype);
    Options options = SampleOptions();
    options.dtype = dtype;
    options.max_batch_tokens = 64;
    options.max_rows = 8;
    const auto source = OpenModel(options);
    REQUIRE(source.ok());
    const auto plan = PlanMemory(options, source->files, 128 * kMiB);
    REQUIRE_MESSAGE(plan.ok(), plan.error().message);
    const OnDevice device(options, 128 * kMiB);
    REQUIRE_MESSAGE(device.why == "", device.why);
    CHECK(plan->weights == device.weight_bytes);
    CHECK(plan->pages == device.pages);
  }
}

TEST_CASE("what limits the cache is the card, less what the weights and a step take") {
  Options options = SampleOptions();
  options.max_rows = 4096;
  options.max_batch_tokens = 4096;
  const auto source = OpenModel(options);
  REQUIRE(source.ok());
  const auto small = PlanMemory(options, source->files, 400 * kMiB);
  const auto large = PlanMemory(options, source->files, 800 * kMiB);
  REQUIRE_MESSAGE(small.ok(), small.error().message);
  REQUIRE_MESSAGE(large.ok(), large.error().message);
  CHECK(small->weights == large->weights);
  CHECK(small->pages < large->pages);
  CHECK(small->weights + small->workspace() + small->kv <= 400 * kMiB);
  const OnDevice device(options, 400 * kMiB);
  REQUIRE_MESSAGE(device.why == "", device.why);
  // Loading keeps some scratch.
  CHECK(device.pages <= small->pages);
  CHECK(device.pages > small->pages * 95 / 100);
}

TEST_CASE("a device that is too small is refused with what was needed and the option to change") {
  const auto words = [](const Options& options, std::int64_t free) {
    return OnDevice(options, free).why;
  };
  const Options options = SampleOptions();
  CHECK(Names(words(options, kMiB / 2),
              {"the weights need", "are available on the device", "--dtype"}));
  Options large_steps = options;
  large_steps.max_batch_tokens = 100'000;
  CHECK(Names(words(large_steps, 64 * kMiB),
              {"activations of a step", "are free", "--max-batch-tokens"}));
  Options large_cache = options;
  large_cache.kv_memory = "1GiB";
  CHECK(
      Names(words(large_cache, 64 * kMiB), {"key-value cache needs 1", "are free", "--kv-memory"}));
}

TEST_CASE("a plan for a card that is too small names the option to change") {
  const auto words = [](Options options, const char* memory) {
    options.device_memory = memory;
    const auto source = OpenModel(options);
    REQUIRE(source.ok());
    const auto plan = PlanCard(options, source->files);
    return plan.ok() ? "" : plan.error().message;
  };
  const Options options = SampleOptions();
  CHECK(words(options, "1GiB") == "");
  CHECK(Names(words(options, "600MiB"), {"the weights need", "the card has 0", "--dtype"}));
  Options large_cache = options;
  large_cache.kv_memory = "2GiB";
  CHECK(Names(words(large_cache, "1GiB"), {"keys and values of 2.0 GiB", "--kv-memory"}));
}

}  // namespace
}  // namespace sglrun::cli
