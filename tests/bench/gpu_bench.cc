// Speed of each kernel of the CUDA shelf at the shapes of a decode step, as a graph that is
// replayed, against what the card reaches in two calls that nothing can beat: a copy, and one large
// product of ours. Where cuBLASLt is found, its products of many rows stand beside ours, and both
// are compared with sums in float64. Ends in a table, or in JSON; exit code 1 when a product was
// wrong.
//
//   gpu_bench [--device cuda|sim] [--rows 1,8,64,256] [--shape NAME]... [--json FILE]
//
// On the simulated device (small shapes, no meaning in the times) it is run by the tests, so that
// it works on the day there is a card.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "compare_products.h"
#include "kernels/cuda/gpu/runtime.h"
#include "kernels/cuda/library_products.h"
#include "kernels/cuda/ops.h"

namespace sglrun::kernels::cuda {
namespace {

constexpr int kNoGpu = 77;

struct Shape {
  std::string name;
  std::int64_t hidden, inner, layers, heads, kv_heads, head_dim, vocabulary, keys;
};
const std::vector<Shape> kShapes = {
    {"smollm2-135m", 576, 1536, 30, 9, 3, 64, 49152, 1024},
    {"llama-3.2-1b", 2048, 8192, 16, 32, 8, 64, 128256, 1024},
    {"llama-3.1-8b", 4096, 14336, 32, 32, 8, 128, 128256, 1024},
};
const Shape kTiny = {"tiny", 64, 96, 2, 2, 1, 32, 200, 40};

struct Ceilings {
  double bytes_per_s = 0, flops_per_s = 0;
};

struct Line {
  std::string shape, kernel;
  std::int64_t rows = 0;
  double us = 0, share = 0;
  double error = 0;  // of products that are compared: share of what is allowed; above 1 is wrong
};

class Bench {
 public:
  Bench(gpu::Runtime& runtime, const Ops& ops, bool is_real)
      : runtime_(runtime), ops_(ops), stream_(runtime.MakeStream()), is_real_(is_real) {
    auto library = LibraryProducts::Open(runtime, stream_,
                                         is_real ? gpu::lt::AllPlaces() : gpu::lt::NamedPlaces());
    if (library.ok()) {
      library_ = std::move(*library);
    } else {
      std::printf("%s\n", library.error().message.c_str());
    }
  }
  ~Bench() {
    library_.reset();
    for (void* data : arrays_) runtime_.Free(data);
    runtime_.DestroyStream(stream_);
  }

  Ceilings Measure() {
    const std::size_t bytes = is_real_ ? std::size_t{1} << 30 : std::size_t{1} << 12;
    void* from = Array(bytes);
    void* to = Array(bytes);
    const double copy = Seconds([&] { runtime_.CopyOnDevice(to, from, bytes, stream_); }, 5);
    ceilings_.bytes_per_s = 2 * static_cast<double>(bytes) / copy;
    const std::int64_t n = is_real_ ? 8192 : 64;
    const double product = Seconds(Product(n, n, n, WeightType::kBF16, nullptr), 3);
    ceilings_.flops_per_s = 2.0 * static_cast<double>(n * n * n) / product;
    FreeArrays();
    return ceilings_;
  }

  void Step(const Shape& s, std::int64_t rows) {
    const std::int64_t q = s.heads * s.head_dim, kv = s.kv_heads * s.head_dim;
    for (const auto& [name, type] : {std::pair{"", WeightType::kBF16},
                                     {" int8", WeightType::kI8},
                                     {" int4", WeightType::kI4}}) {
      Gemm(s, std::string("qkv") + name, rows, q + 2 * kv, s.hidden, type);
      Gemm(s, std::string("output") + name, rows, s.hidden, q, type);
      Gemm(s, std::string("gate_up") + name, rows, 2 * s.inner, s.hidden, type);
      Gemm(s, std::string("down") + name, rows, s.hidden, s.inner, type);
    }
    Gemm(s, "head", rows, s.vocabulary, s.hidden, WeightType::kBF16);
    Elementwise(s, rows, q, kv);
    Attention(s, rows, 1);
    if (rows == 1) Attention(s, 1, std::min<std::int64_t>(512, s.keys));
    Sampling(s, rows);
  }

  const std::vector<Line>& lines() const { return lines_; }

 private:
  // Zeros: every value is finite, and a zero is as fast as any number.
  void* Array(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 256);
    void* data = runtime_.Alloc(bytes);
    if (data == nullptr) {
      std::fprintf(stderr, "no device memory for %zu bytes\n", bytes);
      std::exit(1);
    }
    arrays_.push_back(data);
    constexpr std::size_t kPart = std::size_t{1} << 20;
    void* zeros = runtime_.AllocPinned(kPart);
    std::fill_n(static_cast<char*>(zeros), kPart, '\0');
    for (std::size_t at = 0; at < bytes; at += kPart) {
      runtime_.CopyToDevice(static_cast<char*>(data) + at, zeros, std::min(kPart, bytes - at),
                            stream_);
    }
    runtime_.Synchronize(stream_);
    runtime_.FreePinned(zeros);
    return data;
  }
  template <class T>
  T* Filled(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    void* data = Array(bytes);
    void* pinned = runtime_.AllocPinned(bytes);
    std::copy_n(reinterpret_cast<const char*>(values.data()), bytes, static_cast<char*>(pinned));
    runtime_.CopyToDevice(data, pinned, bytes, stream_);
    runtime_.Synchronize(stream_);
    runtime_.FreePinned(pinned);
    return static_cast<T*>(data);
  }
  float* Floats(std::int64_t count) {
    return static_cast<float*>(Array(static_cast<std::size_t>(count) * sizeof(float)));
  }
  void FreeArrays() {
    runtime_.Synchronize(stream_);
    for (void* data : arrays_) runtime_.Free(data);
    arrays_.clear();
  }

  // Of one call, the best of some replays of `calls` of them as a graph.
  double Seconds(const std::function<void()>& call, int calls) {
    if (!is_real_) calls = 1;
    call();
    runtime_.Synchronize(stream_);
    runtime_.BeginCapture(stream_);
    for (int i = 0; i < calls; ++i) call();
    gpu::Graph graph = runtime_.EndCapture(stream_);
    double best = 1e9;
    for (int i = 0; i < (is_real_ ? 5 : 1); ++i) {
      const auto start = std::chrono::steady_clock::now();
      runtime_.Launch(graph, stream_);
      runtime_.Synchronize(stream_);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      best = std::min(best, passed.count());
    }
    runtime_.DestroyGraph(graph);
    return std::max(best / calls, 1e-9);
  }

  void Add(const Shape& s, const std::string& kernel, std::int64_t rows,
           const std::function<void()>& call, double bytes, double flops) {
    const double seconds = Seconds(call, 20);
    const double least = std::max(bytes / ceilings_.bytes_per_s, flops / ceilings_.flops_per_s);
    lines_.push_back({s.name, kernel, rows, seconds * 1e6, least / seconds});
    FreeArrays();
  }

  // Several weights in turn, so that they come from memory and not from the second-level cache.
  std::function<void()> Product(std::int64_t m, std::int64_t n, std::int64_t k, WeightType type,
                                LibraryProducts* library) {
    Weight weight{.type = type, .n = n, .k = k};
    const std::size_t bytes = WeightBytes(weight);
    const std::size_t copies = is_real_ ? std::clamp<std::size_t>((256u << 20) / bytes, 1, 16) : 1;
    std::vector<const void*> data;
    for (std::size_t i = 0; i < copies; ++i) data.push_back(Array(bytes));
    GemmParams params{.x = {Floats(m * k), k},
                      .input = {},
                      .m = m,
                      .weight = weight,
                      .y = {Floats(m * n), n},
                      .scratch = nullptr};
    params.scratch = Array(std::max(GemmScratchBytes(m, weight), LibraryScratchBytes(params)));
    return [this, params, data, library, next = std::size_t{0}]() mutable {
      params.weight.data = data[next++ % data.size()];
      if (library == nullptr || !library->Multiply(params, ops_)) ops_.gemm(params, stream_);
    };
  }

  void Gemm(const Shape& s, const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
            WeightType type) {
    const auto bytes =
        static_cast<double>(WeightBytes(n, k, type)) + 4.0 * static_cast<double>(m * (n + k));
    const auto flops = 2.0 * static_cast<double>(m * n * k);
    Add(s, name, m, Product(m, n, k, type, nullptr), bytes, flops);
    if (library_ == nullptr || type != WeightType::kBF16 || m <= kLibraryRows) return;
    const ProductErrors errors = CompareProducts(runtime_, ops_, stream_, *library_, m, n, k);
    lines_.back().error = std::max(errors.own, 0.0);
    if (errors.library < 0) {
      std::printf("%s %s, %lld rows: %s\n", s.name.c_str(), name.c_str(), static_cast<long long>(m),
                  errors.own < 0 ? "no memory to compare" : "no algorithm of cuBLASLt suits");
      return;
    }
    Add(s, name + " cublaslt", m, Product(m, n, k, type, library_.get()), bytes, flops);
    lines_.back().error = errors.library;
  }

  void Elementwise(const Shape& s, std::int64_t rows, std::int64_t q, std::int64_t kv) {
    const auto row_bytes = [&](std::int64_t floats) {
      return 4.0 * static_cast<double>(rows * floats);
    };
    const Rows x{Floats(rows * s.hidden), s.hidden}, y{Floats(rows * s.hidden), s.hidden};
    const NormParams norm{.x = x,
                          .add = {},
                          .weight = Floats(s.hidden),
                          .y = y,
                          .tokens = rows,
                          .size = s.hidden,
                          .eps = 1e-5f};
    Add(
        s, "rms_norm", rows, [&] { ops_.norm(norm, stream_); }, row_bytes(2 * s.hidden), 0);
    const float* angles = Floats(s.head_dim / 2);
    const RopeParams rope{.x = {Floats(rows * q), q},
                          .tokens = rows,
                          .heads = s.heads,
                          .head_dim = s.head_dim,
                          .positions = static_cast<std::int32_t*>(Array(4 * std::size_t(rows))),
                          .cos_table = angles,
                          .sin_table = angles,
                          .table_stride = s.head_dim / 2,
                          .half = s.head_dim / 2};
    Add(
        s, "rope", rows, [&] { ops_.rope(rope, stream_); }, row_bytes(2 * q), 0);
    const ActivationParams gate{.x = {Floats(rows * 2 * s.inner), 2 * s.inner},
                                .y = {Floats(rows * s.inner), s.inner},
                                .tokens = rows,
                                .size = s.inner};
    Add(
        s, "activation", rows, [&] { ops_.activation(gate, stream_); }, row_bytes(3 * s.inner), 0);
    std::vector<std::int32_t> slots;
    for (std::int64_t r = 0; r < rows; ++r) slots.push_back(static_cast<std::int32_t>(r));
    const Rows keys{Floats(rows * kv), kv};
    const auto pages = static_cast<std::size_t>((rows + kPageSize - 1) / kPageSize);
    const StoreKvParams store{
        .k = keys, .v = keys, .slots = Filled(slots), .tokens = rows, .cache = CacheOf(s, pages)};
    Add(
        s, "store_kv", rows, [&] { ops_.store_kv(store, stream_); }, row_bytes(3 * kv), 0);
  }

  Cache CacheOf(const Shape& s, std::size_t pages) {
    return {Array(pages * PageBytes(s.kv_heads, s.head_dim, true)), true,
            static_cast<std::int32_t>(s.kv_heads), static_cast<std::int32_t>(s.head_dim)};
  }

  void Attention(const Shape& s, std::int64_t rows, std::int64_t queries) {
    const std::int64_t q = s.heads * s.head_dim, stride = (s.keys + kPageSize - 1) / kPageSize;
    std::vector<std::int32_t> table, starts = {0};
    for (std::int64_t i = 0; i < rows * stride; ++i) table.push_back(static_cast<std::int32_t>(i));
    for (std::int64_t r = 0; r < rows; ++r) {
      starts.push_back(starts.back() + static_cast<std::int32_t>(queries));
    }
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows),
                                            static_cast<std::int32_t>(s.keys));
    const std::int64_t splits = AttentionSplits(s.keys, 0), tokens = rows * queries;
    const AttentionParams params{
        .q = {Floats(tokens * q), q},
        .out = {Floats(tokens * q), q},
        .num_heads = s.heads,
        .tokens = tokens,
        .rows = rows,
        .query_start = Filled(starts),
        .kv_len = Filled(lengths),
        .block_tables = Filled(table),
        .block_table_stride = stride,
        .cache = CacheOf(s, table.size()),
        .scale = 0.1f,
        .max_splits = splits,
        .max_queries = queries,
        .partials =
            static_cast<float*>(Array(AttentionScratchBytes(rows, s.heads, s.head_dim, splits)))};
    const double seen = static_cast<double>(s.keys) - static_cast<double>(queries - 1) / 2;
    const double bytes = static_cast<double>(rows * s.keys * s.kv_heads * s.head_dim) * 4 +
                         8.0 * static_cast<double>(tokens * q);
    Add(
        s, queries == 1 ? "attention" : "attention, prompt", tokens,
        [&] { ops_.paged_attention(params, stream_); }, bytes,
        4.0 * static_cast<double>(tokens * q) * seen);
  }

  void Sampling(const Shape& s, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    const double bytes = 4.0 * static_cast<double>(rows * s.vocabulary);
    const Rows logits{Floats(rows * s.vocabulary), s.vocabulary};
    const std::vector<float> temperatures(count, 0.8f);
    const LogitsProcessParams process{.logits = logits,
                                      .rows = rows,
                                      .width = s.vocabulary,
                                      .status = static_cast<std::uint8_t*>(Array(count))};
    const SampleParams sample{
        .logits = logits,
        .rows = rows,
        .width = s.vocabulary,
        .temperature = Filled(temperatures),
        .top_k = Filled(std::vector<std::int32_t>(count, 50)),
        .top_p = Filled(std::vector<double>(count, 0.95)),
        .min_p = Filled(std::vector<double>(count, 0.01)),
        .random = Filled(std::vector<std::uint64_t>(count, 0x123456789abcdefu)),
        .tokens = static_cast<std::int32_t*>(Array(4 * count))};
    const auto both = [&] {
      ops_.logits_process(process, stream_);
      ops_.sample(sample, stream_);
    };
    Add(s, "logits_process, sample", rows, both, bytes, 0);
  }

  gpu::Runtime& runtime_;
  const Ops& ops_;
  gpu::Stream stream_;
  const bool is_real_;
  Ceilings ceilings_;
  std::vector<void*> arrays_;
  std::vector<Line> lines_;
  std::unique_ptr<LibraryProducts> library_;
};

Json AsJson(const gpu::Properties& card, const Ceilings& ceilings, const std::vector<Line>& lines) {
  Json::Array rows;
  for (const Line& line : lines) {
    rows.push_back(Json::Object{{"shape", line.shape},
                                {"kernel", line.kernel},
                                {"rows", line.rows},
                                {"us", line.us},
                                {"share_of_peak", line.share},
                                {"error", line.error}});
  }
  return Json::Object{{"card", card.name},
                      {"copy_bytes_per_s", ceilings.bytes_per_s},
                      {"product_flops_per_s", ceilings.flops_per_s},
                      {"kernels", std::move(rows)}};
}

struct Arguments {
  bool is_real = true;
  std::vector<std::int64_t> rows = {1, 8, 64, 256};
  std::vector<Shape> shapes;
  std::string json;
};

std::vector<std::int64_t> Numbers(const char* text) {
  std::vector<std::int64_t> numbers;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    numbers.push_back(std::strtoll(text, &end, 10));
    if (end == text) break;
  }
  return numbers;
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--device") arguments.is_real = value != "sim";
    if (name == "--rows") arguments.rows = Numbers(argv[i + 1]);
    if (name == "--json") arguments.json = value;
    for (const Shape& shape : kShapes) {
      if (name == "--shape" && value == shape.name) arguments.shapes.push_back(shape);
    }
  }
  if (arguments.shapes.empty()) arguments.shapes = kShapes;
  if (!arguments.is_real) arguments.shapes = {kTiny};
  return arguments;
}

Result<std::unique_ptr<gpu::Runtime>> Open(bool is_real) {
#if defined(SGLRUN_CUDA_ARCHITECTURES)
  if (is_real) return gpu::OpenCuda(0, SGLRUN_CUDA_ARCHITECTURES);
#else
  if (is_real) return Error{"built without CUDA"};
#endif
  return gpu::OpenSimulated();
}

const Ops& OpsOf(bool is_real) {
#if defined(SGLRUN_CUDA_ARCHITECTURES)
  if (is_real) return gpu_world::CudaOps();
#endif
  static_cast<void>(is_real);
  return sim_world::CudaOps();
}

int Main(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  auto runtime = Open(arguments.is_real);
  if (!runtime.ok()) {
    std::fprintf(stderr, "%s\n", runtime.error().message.c_str());
    return kNoGpu;
  }
  Bench bench(**runtime, OpsOf(arguments.is_real), arguments.is_real);
  const Ceilings ceilings = bench.Measure();
  std::printf("copy %.0f GB/s, product %.1f TFLOP/s\n", ceilings.bytes_per_s / 1e9,
              ceilings.flops_per_s / 1e12);
  for (const Shape& shape : arguments.shapes) {
    for (const std::int64_t rows : arguments.rows) bench.Step(shape, rows);
  }
  for (const Line& line : bench.lines()) {
    std::printf("%-14s %-24s %4lld rows %9.1f us %6.0f %% of peak", line.shape.c_str(),
                line.kernel.c_str(), static_cast<long long>(line.rows), line.us, 100 * line.share);
    if (line.error > 0) std::printf(", error %.2f of what is allowed", line.error);
    std::printf("\n");
  }
  const bool is_wrong =
      std::ranges::any_of(bench.lines(), [](const Line& line) { return !(line.error <= 1); });
  if (!arguments.json.empty()) {
    std::ofstream(arguments.json)
        << AsJson((*runtime)->properties(), ceilings, bench.lines()).Dump() << "\n";
  }
  return is_wrong ? 1 : 0;
}

}  // namespace
}  // namespace sglrun::kernels::cuda

int main(int argc, char** argv) {
  return sglrun::kernels::cuda::Main(argc, argv);
}
