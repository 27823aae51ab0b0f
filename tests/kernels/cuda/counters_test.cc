// How well the accesses of the main kernels fall together, against kernels/cuda/counters.txt:
// 32-byte sectors that a warp's requests touch, the share of their bytes that is used, and the
// turns that requests of shared memory take. SGLRUN_WRITE_COUNTERS=1 writes the file instead
// (scripts/cuda-counters).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/sim/checker.h"
#include "tests/kernels/cuda/support.h"

#include <doctest/doctest.h>

namespace sglrun::kernels::CU_WORLD {
namespace {

using cuda::Rows;
using cuda::Weight;
using cuda::WeightType;
using testing::DeviceArray;

constexpr const char* kTable = SGLRUN_SOURCE_DIR "/kernels/cuda/counters.txt";

// The shapes of a small model: 9 heads of 64 over 3, hidden size 576.
constexpr std::int64_t kHidden = 576, kHeads = 9, kKvHeads = 3, kHeadDim = 64;

std::vector<float> Normal(std::int64_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

// Finite in every type of weight.
std::vector<std::uint8_t> Bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 % 60);
  return bytes;
}

std::vector<std::int32_t> Counting(std::int64_t count, std::int64_t step = 1) {
  std::vector<std::int32_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::int32_t>(i * step));
  return numbers;
}

template <class Launch>
std::string Row(const char* name, Launch launch) {
  sim::TakeAccessCounts();
  launch();
  const sim::AccessCounts c = sim::TakeAccessCounts();
  const auto sectors = static_cast<double>(std::max<std::uint64_t>(c.global_sectors, 1));
  const auto shared = static_cast<double>(std::max<std::uint64_t>(c.shared_requests, 1));
  char line[160];
  std::snprintf(line, sizeof line, "%-34s %8llu %8llu %5.0f%% %8llu %6.2f\n", name,
                static_cast<unsigned long long>(c.global_requests),
                static_cast<unsigned long long>(c.global_sectors),
                100 * static_cast<double>(c.global_bytes) / (32 * sectors),
                static_cast<unsigned long long>(c.shared_requests),
                static_cast<double>(c.shared_wavefronts) / shared);
  return line;
}

std::string GemmRow(const char* name, std::int64_t m, std::int64_t n, WeightType type) {
  Weight weight{.type = type, .n = n, .k = kHidden};
  const DeviceArray<std::uint8_t> data(Bytes(cuda::WeightBytes(weight)));
  weight.data = data.data();
  const DeviceArray<float> x(Normal(m * kHidden)), y(static_cast<std::size_t>(m * n));
  const DeviceArray<std::uint8_t> scratch(
      std::max<std::size_t>(cuda::GemmScratchBytes(m, weight), 16));
  return Row(name, [&] {
    Gemm({.x = {x.data(), kHidden},
          .m = m,
          .weight = weight,
          .y = {y.data(), n},
          .scratch = scratch.data()},
         nullptr);
  });
}

std::string ElementwiseRows() {
  constexpr std::int64_t kTokens = 4, kVocabulary = 50, kInner = 1536;
  const DeviceArray<std::int32_t> ids(Counting(kTokens, 7));
  const DeviceArray<float> x(Normal(kTokens * kHidden)), wide(Normal(kTokens * 2 * kInner)),
      weight(Normal(kHidden)), angles(Normal(kTokens * 8 * kHeadDim / 2));
  const DeviceArray<float> y(static_cast<std::size_t>(kTokens * kInner));
  const DeviceArray<std::uint8_t> embedding(
      Bytes(cuda::WeightBytes(kVocabulary, kHidden, WeightType::kBF16)));
  const Rows rows{x.data(), kHidden}, out{y.data(), kHidden};
  std::string text;
  text += Row("embed bf16", [&] {
    Embed({.ids = ids.data(),
           .tokens = kTokens,
           .weight = {embedding.data(), WeightType::kBF16, kVocabulary, kHidden},
           .out = out},
          nullptr);
  });
  text += Row("rms_norm", [&] {
    Norm({.x = rows,
          .add = {},
          .weight = weight.data(),
          .y = out,
          .tokens = kTokens,
          .size = kHidden,
          .eps = 1e-5f},
         nullptr);
  });
  text += Row("layer_norm", [&] {
    Norm({.x = rows,
          .add = {},
          .weight = weight.data(),
          .y = out,
          .tokens = kTokens,
          .size = kHidden,
          .eps = 1e-5f,
          .kind = NormKind::kLayer},
         nullptr);
  });
  text += Row("rope", [&] {
    Rope({.x = rows,
          .tokens = kTokens,
          .heads = kHeads,
          .head_dim = kHeadDim,
          .positions = ids.data(),
          .cos_table = angles.data(),
          .sin_table = angles.data(),
          .table_stride = kHeadDim / 2,
          .half = kHeadDim / 2},
         nullptr);
  });
  text += Row("activation", [&] {
    Activate({.x = {wide.data(), 2 * kInner},
              .y = {y.data(), kInner},
              .tokens = kTokens,
              .size = kInner},
             nullptr);
  });
  return text;
}

std::string AttentionRows() {
  constexpr std::int64_t kKeys = 300, kPages = (kKeys + kPageSize - 1) / kPageSize;
  const DeviceArray<std::uint8_t> pages(
      Bytes(static_cast<std::size_t>(kPages) * cuda::PageBytes(kKvHeads, kHeadDim, true)));
  const cuda::Cache cache{pages.data(), true, kKvHeads, kHeadDim};
  const DeviceArray<std::int32_t> table(Counting(kPages)), slots(Counting(70));
  const DeviceArray<float> q(Normal(70 * kHeads * kHeadDim)), kv(Normal(70 * kKvHeads * kHeadDim));
  const DeviceArray<float> out(static_cast<std::size_t>(70 * kHeads * kHeadDim));
  std::string text;
  text += Row("store_kv bf16", [&] {
    const Rows rows{kv.data(), kKvHeads * kHeadDim};
    StoreKv({.k = rows, .v = rows, .slots = slots.data(), .tokens = 70, .cache = cache}, nullptr);
  });
  const auto attend = [&](std::int64_t queries) {
    const DeviceArray<std::int32_t> starts(Counting(2, queries)),
        lengths(std::vector<std::int32_t>{static_cast<std::int32_t>(kKeys)});
    const std::int64_t splits = cuda::AttentionSplits(kKeys, 0);
    const DeviceArray<float> partials(
        cuda::AttentionScratchBytes(1, kHeads, kHeadDim, splits) / sizeof(float) + 1);
    PagedAttention({.q = {q.data(), kHeads * kHeadDim},
                    .out = {out.data(), kHeads * kHeadDim},
                    .num_heads = kHeads,
                    .tokens = queries,
                    .rows = 1,
                    .query_start = starts.data(),
                    .kv_len = lengths.data(),
                    .block_tables = table.data(),
                    .block_table_stride = kPages,
                    .cache = cache,
                    .scale = 0.125f,
                    .max_splits = splits,
                    .max_queries = queries,
                    .partials = partials.data()},
                   nullptr);
  };
  text += Row("attention decode, 300 keys", [&] { attend(1); });
  text += Row("attention prefill, 70 of 300", [&] { attend(70); });
  return text;
}

std::string SamplingRows() {
  constexpr std::int64_t kRows = 2, kWidth = 4096;
  const DeviceArray<float> logits(Normal(kRows * kWidth));
  const DeviceArray<float> temperature(std::vector<float>{1.0f, 0.7f});
  const DeviceArray<std::int32_t> top_k(std::vector<std::int32_t>{50, 1 << 30});
  const DeviceArray<double> top_p(std::vector<double>{0.9, 0.95}),
      min_p(std::vector<double>{0, 0.01});
  const DeviceArray<std::uint64_t> random(std::vector<std::uint64_t>{1234567, 7654321});
  const DeviceArray<std::uint32_t> mask(std::vector<std::uint32_t>(kWidth / 32, 0xf0f0f0f0u));
  const DeviceArray<std::int32_t> line(std::vector<std::int32_t>{0, -1}),
      begins(std::vector<std::int32_t>{0, 5, 10});
  const DeviceArray<std::uint8_t> status(kRows);
  const DeviceArray<std::int32_t> tokens(kRows), top_ids(10);
  const DeviceArray<float> top(10);
  const Rows rows{logits.data(), kWidth};
  std::string text;
  text += Row("logits_process with a mask", [&] {
    LogitsProcess({.logits = rows,
                   .rows = kRows,
                   .width = kWidth,
                   .mask = mask.data(),
                   .mask_stride = kWidth / 32,
                   .mask_line = line.data(),
                   .status = status.data()},
                  nullptr);
  });
  text += Row("sample", [&] {
    Sample({.logits = rows,
            .rows = kRows,
            .width = kWidth,
            .temperature = temperature.data(),
            .top_k = top_k.data(),
            .top_p = top_p.data(),
            .min_p = min_p.data(),
            .random = random.data(),
            .tokens = tokens.data()},
           nullptr);
  });
  text += Row("logprobs, 5 best", [&] {
    Logprobs({.logits = rows,
              .rows = kRows,
              .width = kWidth,
              .temperature = temperature.data(),
              .top_begin = begins.data(),
              .top_ids = top_ids.data(),
              .top_logprobs = top.data(),
              .max_top = 5},
             nullptr);
  });
  return text;
}

std::string Counters() {
  std::string text =
      "# scripts/cuda-counters, the simulated device, g++ 12: requests of device memory, sectors "
      "that "
      "they\n# touch, share of these that is used; requests of shared memory, turns of one\n";
  text += ElementwiseRows();
  text += AttentionRows();
  text += GemmRow("gemm bf16, 1 row", 1, 64, WeightType::kBF16);
  text += GemmRow("gemm bf16, 8 rows", 8, 64, WeightType::kBF16);
  text += GemmRow("gemm bf16, 40 rows", 40, 160, WeightType::kBF16);
  text += GemmRow("gemm f16, 1 row", 1, 64, WeightType::kF16);
  text += GemmRow("gemm f32, 1 row", 1, 64, WeightType::kF32);
  text += GemmRow("gemm int8, 1 row", 1, 64, WeightType::kI8);
  text += GemmRow("gemm int4, 1 row", 1, 64, WeightType::kI4);
  text += GemmRow("gemm int8, 40 rows", 40, 160, WeightType::kI8);
  text += GemmRow("gemm int4, 40 rows", 40, 160, WeightType::kI4);
  text += SamplingRows();
  return text;
}

// Other compilers join other accesses.
#if defined(__clang__) || __GNUC__ != 12
constexpr bool kIsCompilerOfTable = false;
#else
constexpr bool kIsCompilerOfTable = true;
#endif

TEST_CASE("the access patterns of the main kernels are those of kernels/cuda/counters.txt") {
  sim::StartChecker();
  const std::string counters = Counters();
  if (!kIsCompilerOfTable) {
    MESSAGE("not compared: the table is another compiler's");
    return;
  }
  if (std::getenv("SGLRUN_WRITE_COUNTERS") != nullptr) {
    std::ofstream(kTable) << counters;
    return;
  }
  std::stringstream table;
  table << std::ifstream(kTable).rdbuf();
  std::stringstream want(table.str()), got(counters);
  std::string expected, line;
  while (std::getline(got, line)) {
    expected.clear();
    std::getline(want, expected);
    CHECK_MESSAGE(line == expected, "run scripts/cuda-counters if this is meant");
  }
  CHECK_FALSE(std::getline(want, expected));
}

}  // namespace
}  // namespace sglrun::kernels::CU_WORLD
