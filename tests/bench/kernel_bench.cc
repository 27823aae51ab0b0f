// The machine's peaks, then the speed of the kernels: GFLOP/s and GB/s of gemm at the shapes of
// SmolLM2-135M, microseconds of attention and of the sampler. Each result is compared with the
// reference before it is timed.
//
//   kernel_bench [--isa NAME] [--threads N] [--seconds S]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "bench/machine_peak.h"
#include "kernels/backend.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using tensor::MakeView;

struct Options {
  std::string_view isa = "auto";
  int threads = AvailableCores();
  double seconds = 0.2;  // a line
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Timing {
  double best, median;  // seconds
};

template <class Fn>
Timing Measure(double budget, const Fn& fn) {
  std::vector<double> times;
  const double end = Now() + budget;
  for (int i = 0; Now() < end || times.size() < 5; ++i) {
    const double start = Now();
    fn(i);
    times.push_back(Now() - start);
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

std::vector<float> Normal(std::size_t count, float sigma, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

[[noreturn]] void Wrong(const char* what, double got, double want) {
  std::fprintf(stderr, "%s: got %.9g, expected %.9g; not timed\n", what, got, want);
  std::exit(1);
}

class Bench {
 public:
  Bench(const Backend& backend, const Options& options)
      : backend_(backend), options_(options), pool_(options.threads), context_(pool_) {}

  void Peak() {
    const bench::MachinePeak peak = bench::MeasurePeak(pool_);
    std::printf("peak   float32 %.0f GFLOP/s  int8 %.0f GFLOP/s  read %.1f GB/s\n",
                peak.float_gflops, peak.int8_gflops, peak.read_gb_per_s);
  }

  // Enough copies of the weight to come from memory each time, as in a whole model.
  void Gemm(std::int64_t n, std::int64_t k, const WeightForm& form) {
    const DType dtype = form.dtype;
    std::vector<float> w = Normal(static_cast<std::size_t>(n * k), 0.05f, 1);
    const std::size_t bytes = backend_.table.packed_weight_bytes(n, k, form);
    const int copies = static_cast<int>(std::clamp<std::size_t>((192u << 20) / bytes, 2, 64));
    std::vector<PackedWeight> weights;
    const double start = Now();
    for (int i = 0; i < copies; ++i) {
      weights.push_back({n, k, dtype, tensor::Buffer(*backend_.allocator, bytes), form.quant});
      for (std::int64_t row = 0; row < n; row += 256) {
        const std::int64_t rows = std::min<std::int64_t>(256, n - row);
        backend_.table.pack_rows(
            {&weights.back(), row, MakeView(w.data() + row * k, DType::kF32, {rows, k})}, context_);
      }
    }
    std::printf("pack   n %5ld k %5ld %-4s          %9.1f M elements/s\n", n, k,
                tensor::DTypeName(dtype), double(n * k) * copies / (Now() - start) / 1e6);
    for (const std::int64_t m : {1, 2, 8, 32, 64, 512}) {
      std::vector<float> x = Normal(static_cast<std::size_t>(m * k), 1, 2);
      std::vector<float> y(static_cast<std::size_t>(m * n));
      GemmArgs args{MakeView(x.data(), DType::kF32, {m, k}),
                    weights.data(),
                    {},
                    MakeView(y.data(), DType::kF32, {m, n}),
                    false};
      backend_.table.gemm(args, context_);
      CheckGemm(x, w, y, m, n, k, dtype);
      const Timing t = Measure(options_.seconds, [&](int i) {
        args.weight = &weights[static_cast<std::size_t>(i % copies)];
        backend_.table.gemm(args, context_);
      });
      std::printf(
          "gemm   n %5ld k %5ld %-4s m %4ld %9.1f us  %7.1f GFLOP/s  %6.1f GB/s  (best %.1f us)\n",
          n, k, tensor::DTypeName(dtype), m, t.median * 1e6, Flops(args) / t.median / 1e9,
          double(bytes) / t.median / 1e9, t.best * 1e6);
    }
  }

  void Attention(std::int64_t rows, std::int32_t queries, std::int32_t length, DType dtype) {
    const KvLayout layout{3, 64, dtype};
    const std::int64_t heads = 9, width = 192;
    const std::int64_t stride = (length + kPageSize - 1) / kPageSize;
    tensor::Buffer cache(*backend_.allocator, static_cast<std::size_t>(rows * stride) *
                                                  backend_.table.kv_page_bytes(layout));
    const KvCacheView view{layout, cache.data(), rows * stride};
    std::vector<std::int32_t> table, start = {0}, lengths, slots;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t p = 0; p < stride; ++p) {
        table.push_back(static_cast<std::int32_t>(r * stride + p));
      }
      for (std::int32_t j = 0; j < length; ++j) {
        slots.push_back(static_cast<std::int32_t>(r * stride * kPageSize + j));
      }
      start.push_back(start.back() + queries);
      lengths.push_back(length);
    }
    const auto tokens = static_cast<std::int64_t>(slots.size());
    std::vector<float> k = Normal(static_cast<std::size_t>(tokens * width), 1, 3);
    std::vector<float> v = Normal(static_cast<std::size_t>(tokens * width), 1, 4);
    std::vector<float> q = Normal(static_cast<std::size_t>(rows * queries * heads * 64), 1, 5);
    std::vector<float> out(q.size());
    const StoreKvArgs store{MakeView(k.data(), DType::kF32, {tokens, width}),
                            MakeView(v.data(), DType::kF32, {tokens, width}), slots, view};
    const Timing stored =
        Measure(options_.seconds / 4, [&](int) { backend_.table.store_kv(store, context_); });
    const PagedAttentionArgs args{MakeView(q.data(), DType::kF32, {rows * queries, heads * 64}),
                                  MakeView(out.data(), DType::kF32, {rows * queries, heads * 64}),
                                  heads,
                                  start,
                                  lengths,
                                  table.data(),
                                  stride,
                                  view,
                                  0.125f,
                                  0};
    backend_.table.paged_attention(args, context_);
    CheckAttention(q, k, v, out, length, queries);
    const Timing t =
        Measure(options_.seconds, [&](int) { backend_.table.paged_attention(args, context_); });
    const double seen = queries == 1 ? length : length - (queries - 1) / 2.0;
    const double flops = 4.0 * double(rows * queries * heads) * 64 * seen;
    std::printf(
        "attend rows %3ld queries %4d keys %5d %-4s %9.1f us  %7.1f GFLOP/s  store %.2f us/token\n",
        rows, queries, length, tensor::DTypeName(dtype), t.median * 1e6, flops / t.median / 1e9,
        stored.median * 1e6 / double(tokens));
  }

  void Sampler(std::int64_t width, float sigma) {
    const std::vector<float> base = Normal(static_cast<std::size_t>(width), sigma, 6);
    std::vector<float> z = base;
    std::vector<std::uint32_t> mask(static_cast<std::size_t>((width + 31) / 32));
    std::mt19937 random(7);
    for (auto& word : mask) word = random() | random();
    std::vector<std::int32_t> ids, counts(256, 1), bias_ids;
    for (int i = 0; i < 256; ++i) ids.push_back(i * 97 % static_cast<std::int32_t>(width));
    for (int i = 0; i < 32; ++i) bias_ids.push_back(i * 31);
    const std::vector<std::int32_t> two{0, 256}, biases{0, 32}, line{0}, top_k{50}, top{0, 20};
    const std::vector<float> p{0.1f}, rep{1.1f}, bias(32, 0.5f), temperature{0.8f};
    const std::vector<double> top_p{0.95}, min_p{0.01};
    const std::vector<std::uint64_t> bits{0x123456789abcdef0u};
    std::vector<RowStatus> status(1);
    std::vector<std::int32_t> tokens(1), top_ids(20);
    std::vector<float> top_logprobs(20);
    const tensor::TensorView logits = MakeView(z.data(), DType::kF32, {1, width});
    const LogitsProcessArgs process{logits,
                                    two,
                                    ids,
                                    counts,
                                    p,
                                    p,
                                    rep,
                                    {},
                                    {},
                                    mask,
                                    static_cast<std::int64_t>(mask.size()),
                                    line,
                                    biases,
                                    bias_ids,
                                    bias,
                                    status};
    const LogprobsArgs logprobs{logits, temperature, {}, {}, {}, {}, top, top_ids, top_logprobs};
    SampleArgs sample{logits, temperature, top_k, top_p, min_p, bits, {}, {}, tokens};
    const auto all = [&](const Backend& backend) {
      std::memcpy(z.data(), base.data(), z.size() * 4);
      backend.table.logits_process(process, context_);
      backend.table.logprobs(logprobs, context_);
      backend.table.sample(sample, context_);
    };
    all(RefBackend());
    const std::int32_t want = tokens[0];
    all(backend_);
    if (tokens[0] != want) Wrong("sample", tokens[0], want);
    const auto line_of = [&](const char* name, const auto& fn) {
      const Timing t = Measure(options_.seconds / 2, fn);
      std::printf("row    V %6ld sigma %.1f %-34s %8.1f us  (best %.1f us)\n", width, sigma, name,
                  t.median * 1e6, t.best * 1e6);
    };
    line_of("logits_process, all stages", [&](int) {
      std::memcpy(z.data(), base.data(), z.size() * 4);
      backend_.table.logits_process(process, context_);
    });
    line_of("logprobs, top 20", [&](int) { backend_.table.logprobs(logprobs, context_); });
    line_of("sample top_k 50 top_p .95 min_p .01",
            [&](int) { backend_.table.sample(sample, context_); });
    const std::vector<std::int32_t> no_k{1 << 30}, greedy{1};
    const std::vector<double> no_p{1.0}, no_min{0.0};
    sample.top_k = no_k, sample.min_p = no_min;
    line_of("sample top_p .95", [&](int) { backend_.table.sample(sample, context_); });
    sample.top_p = no_p;
    line_of("sample, no filter", [&](int) { backend_.table.sample(sample, context_); });
    sample.top_k = greedy;
    line_of("sample, greedy", [&](int) { backend_.table.sample(sample, context_); });
  }

 private:
  static void CheckGemm(const std::vector<float>& x, const std::vector<float>& w,
                        const std::vector<float>& y, std::int64_t m, std::int64_t n, std::int64_t k,
                        DType dtype) {
    const auto round = [&](float value) {
      return dtype == DType::kBF16 ? tensor::BF16ToFloat(tensor::FloatToBF16(value)) : value;
    };
    // Quantised products are rounded further; a wrong one is off by its own size, some 0.05 sqrt k.
    const double tolerance = dtype == DType::kI8 ? 2e-3 : dtype == DType::kI4 ? 2e-2 : 1e-5;
    for (std::int64_t i = 0; i < 64; ++i) {
      const std::int64_t row = i % m, column = i * 7919 % n;
      double sum = 0;
      for (std::int64_t j = 0; j < k; ++j) {
        sum += double{round(x[static_cast<std::size_t>(row * k + j)])} *
               round(w[static_cast<std::size_t>(column * k + j)]);
      }
      const double got = y[static_cast<std::size_t>(row * n + column)];
      if (!(std::fabs(got - sum) < tolerance * std::sqrt(double(k)))) Wrong("gemm", got, sum);
    }
  }

  // The first head of the last query of the first row.
  static void CheckAttention(const std::vector<float>& q, const std::vector<float>& k,
                             const std::vector<float>& v, const std::vector<float>& out,
                             std::int32_t length, std::int32_t queries) {
    const float* query = q.data() + static_cast<std::size_t>(queries - 1) * 576;
    double total = 0, sum = 0;
    for (std::int32_t j = 0; j < length; ++j) {
      double dot = 0;
      for (int d = 0; d < 64; ++d)
        dot += double{query[d]} * k[static_cast<std::size_t>(j) * 192 + d];
      const double weight = std::exp(dot * 0.125);
      total += weight;
      sum += weight * v[static_cast<std::size_t>(j) * 192];
    }
    const double got = out[static_cast<std::size_t>(queries - 1) * 576];
    if (!(std::fabs(got - sum / total) < 1e-2)) Wrong("paged_attention", got, sum / total);
  }

  const Backend& backend_;
  Options options_;
  ThreadPool pool_;
  KernelContext context_;
};

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--isa") options.isa = argv[i + 1];
    if (name == "--threads") options.threads = std::max(1, std::atoi(argv[i + 1]));
    if (name == "--seconds") options.seconds = std::atof(argv[i + 1]);
  }
  const auto backend = CpuBackend(options.isa);
  if (!backend.ok()) {
    std::fprintf(stderr, "%s\n", backend.error().message.c_str());
    return 1;
  }
  std::printf("%s, %d threads\n", std::string((*backend)->isa).c_str(), options.threads);
  Bench kernels(**backend, options);
  kernels.Peak();
  for (const auto& [n, k] :
       {std::pair{960, 576}, {576, 576}, {3072, 576}, {576, 1536}, {49152, 576}}) {
    kernels.Gemm(n, k, DType::kBF16);
  }
  // As the model keeps floats in int8 and int4.
  for (const WeightForm& form : {WeightForm(DType::kI8, {.group = 64}), WeightForm(DType::kI4)}) {
    kernels.Gemm(3072, 576, form);
    kernels.Gemm(576, 1536, form);
  }
  kernels.Gemm(3072, 576, DType::kF32);
  kernels.Attention(1, 1, 512, DType::kBF16);
  kernels.Attention(64, 1, 256, DType::kBF16);
  kernels.Attention(1, 512, 512, DType::kBF16);
  kernels.Attention(1, 1, 8192, DType::kBF16);
  kernels.Attention(64, 1, 256, DType::kF32);
  kernels.Attention(64, 1, 256, DType::kI8);
  kernels.Attention(1, 512, 512, DType::kI8);
  kernels.Attention(1, 1, 8192, DType::kI8);
  kernels.Sampler(49152, 3.0f);
  kernels.Sampler(49152, 0.5f);
  kernels.Sampler(151936, 3.0f);
  return 0;
}

}  // namespace
}  // namespace sglrun::kernels

int main(int argc, char** argv) {
  return sglrun::kernels::Main(argc, argv);
}
