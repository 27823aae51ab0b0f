// Opening cuBLASLt, and products that go through it, on a stand-in (cublaslt_stand_in.cc) and as
// far as it goes without a card on the library itself.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/mapped_file.h"
#include "kernels/cuda/backend.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/gpu/cublaslt_library.h"
#include "tests/kernels/cuda/surroundings.h"

#include <doctest/doctest.h>

namespace sglrun::kernels {
namespace {

namespace fs = std::filesystem;
using gpu::lt::OpenLibrary;
using testing::Surroundings;

const std::string kStandIn = SGLRUN_STAND_IN;

std::string WhyNot(const std::string& path) {
  const auto library = OpenLibrary({path});
  return library.ok() ? "" : library.error().message;
}

bool Has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("a library is opened by its file or by its folder, and tells its version") {
  for (const std::string& named : {kStandIn, fs::path(kStandIn).parent_path().string()}) {
    const Surroundings here(named);
    const auto library = OpenLibrary(gpu::lt::AllPlaces());
    REQUIRE_MESSAGE(library.ok(), library.error().message);
    CHECK((*library)->Version() == "13.1.2");
    CHECK((*library)->path == kStandIn);
  }
}

TEST_CASE("a file that is not cuBLASLt is refused with what was found") {
  const Surroundings here;
  const std::string text = (here.folder / "libcublasLt.so.13").string();
  std::ofstream(text) << "no library\n";
  CHECK(Has(WhyNot((here.folder / "none").string()), "none: cannot open shared object file"));
  CHECK(Has(WhyNot(text), "libcublasLt.so.13: "));
  CHECK(Has(WhyNot(SGLRUN_STAND_IN_OLD), " is version 12.9.1, needed is 13"));
  CHECK(Has(WhyNot(SGLRUN_STAND_IN_LACKING), " has no cublasLtMatmul"));
  CHECK(OpenLibrary({}).error().message ==
        "cuBLASLt cannot be used: libcublasLt.so.13 was not found");
  // A later place may hold a good one; a name that the linker does not find is no fault.
  CHECK(OpenLibrary({"libnone.so.13", text, SGLRUN_STAND_IN_OLD, kStandIn}).ok());
  CHECK(OpenLibrary({"libnone.so.13", "/none/libnone.so.13"}).error().message ==
        "cuBLASLt cannot be used: libcublasLt.so.13 was not found");
}

TEST_CASE("without a place named, the usual ones are tried in order") {
  unsetenv("SGLRUN_CUBLAS_PATH");
  setenv("CUDA_HOME", "/opt/cuda", 1);
  const std::vector<std::string> places = gpu::lt::AllPlaces();
  unsetenv("CUDA_HOME");
  REQUIRE(places.size() == 4);
  CHECK(places[0] == "libcublasLt.so.13");
  CHECK(places[1] == "/opt/cuda/lib64/libcublasLt.so.13");
  CHECK(places[2] == "/usr/local/cuda/lib64/libcublasLt.so.13");
  CHECK(fs::path(places[3]).parent_path() == fs::read_symlink("/proc/self/exe").parent_path());
  CHECK(gpu::lt::NamedPlaces().empty());
}

TEST_CASE("the toolkit's own library has all that is called") {
  const std::string path = "/usr/local/cuda/lib64/libcublasLt.so.13";
  if (!fs::exists(path)) {
    MESSAGE("skipped: there is no " << path);
    return;
  }
  const auto library = OpenLibrary({path});
  REQUIRE_MESSAGE(library.ok(), library.error().message);
  CHECK((*library)->Version().starts_with("13."));
}

// ---- products ----

long Calls() {
  void* library = dlopen(kStandIn.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  auto* count = reinterpret_cast<long (*)()>(dlsym(library, "sglrun_stand_in_products"));
  const long calls = count();
  dlclose(library);
  return calls;
}

tensor::TensorView Matrix(float* data, std::int64_t rows, std::int64_t width) {
  return tensor::MakeView(data, tensor::DType::kF32, {rows, width});
}

struct Shape {
  std::int64_t m, n, k;
  bool bias = false, accumulate = false;
  tensor::DType dtype = tensor::DType::kBF16;
  float alpha = 1;
};

// Eight bits of mantissa, exact in bf16, and exponents far enough apart that sums are rounded.
std::vector<float> Values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const int mantissa = 128 + static_cast<int>(seed >> 40) % 128;
    const float value =
        std::ldexp(static_cast<float>(mantissa), -7 - static_cast<int>(seed >> 52) % 12);
    values.push_back((seed >> 33) % 2 == 0 ? value : -value);
  }
  return values;
}

// A product on a device, whose x and bias are the same whenever the shape is.
class Bench {
 public:
  explicit Bench(Products products) : device_(OpenSimBackend(products).value()), context_(pool_) {
    context_.set_device(device_->backend().device);
  }
  DeviceBackend& device() { return *device_; }

  std::vector<float> Run(const Shape& s, bool repeated = false) {
    const KernelTable& table = device_->backend().table;
    PackedWeight weight{.n = s.n, .k = s.k, .dtype = s.dtype, .data = {}};
    weight.data = Array(table.packed_weight_bytes(s.n, s.k, s.dtype));
    std::vector<float> w = Values(s.n * s.k, 1);
    table.pack_rows({.weight = &weight, .rows = Matrix(w.data(), s.n, s.k)}, context_);
    const auto x = Uploaded(Values(s.m * s.k, 2));
    const auto bias = Uploaded(Values(s.n, 3));
    const std::vector<float> before = Values(s.m * s.n, 4);
    auto y = Uploaded(before);
    const GemmArgs args{.x = Matrix(x.as<float>(), s.m, s.k),
                        .weight = &weight,
                        .bias = s.bias
                                    ? tensor::MakeView(bias.as<float>(), tensor::DType::kF32, {s.n})
                                    : tensor::TensorView{},
                        .y = Matrix(y.as<float>(), s.m, s.n),
                        .accumulate = s.accumulate,
                        .alpha = s.alpha};
    const std::function<void()> work = [&] { table.gemm(args, context_); };
    const std::array<std::uint64_t, 1> key = {static_cast<std::uint64_t>(s.m)};
    for (int i = 0; i < (repeated ? 4 : 1); ++i) {
      table.upload(y.data(), before.data(), before.size() * sizeof(float), context_);
      if (repeated) {
        table.repeat({.key = key, .arrays = {}, .work = &work}, context_);
      } else {
        work();
      }
    }
    std::vector<float> result(before.size());
    table.download(result.data(), y.data(), result.size() * sizeof(float), context_);
    return result;
  }

 private:
  tensor::Buffer Array(std::size_t bytes) {
    return tensor::Buffer(*device_->backend().allocator, bytes);
  }
  tensor::Buffer Uploaded(const std::vector<float>& values) {
    tensor::Buffer array = Array(values.size() * sizeof(float));
    device_->backend().table.upload(array.data(), values.data(), values.size() * sizeof(float),
                                    context_);
    return array;
  }

  ThreadPool pool_{1};
  std::unique_ptr<DeviceBackend> device_;
  KernelContext context_;
};

// Against float64; the operands are exact in bf16 (kernels/gemm.h has the bound).
void CheckProduct(const Shape& s, const std::vector<float>& y) {
  const std::vector<float> w = Values(s.n * s.k, 1), x = Values(s.m * s.k, 2),
                           bias = Values(s.n, 3), before = Values(s.m * s.n, 4);
  for (std::int64_t m = 0; m < s.m; ++m) {
    for (std::int64_t n = 0; n < s.n; ++n) {
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        const double part = static_cast<double>(x[static_cast<std::size_t>(m * s.k + k)]) *
                            static_cast<double>(w[static_cast<std::size_t>(n * s.k + k)]);
        sum += part;
        size += std::abs(part);
      }
      const auto at = static_cast<std::size_t>(m * s.n + n);
      if (s.bias) sum += static_cast<double>(bias[static_cast<std::size_t>(n)]);
      sum *= static_cast<double>(s.alpha);
      if (s.accumulate) sum += static_cast<double>(before[at]);
      const double allowed = (static_cast<double>(s.k) + 2) * (size + 4) * 0x1p-24;
      if (std::abs(static_cast<double>(y[at]) - sum) < allowed) continue;  // no number is not
      FAIL_CHECK("element [" << m << ", " << n << "] is " << y[at] << ", expected " << sum);
      return;
    }
  }
}

TEST_CASE("products of more than 64 rows of bf16 go through the library, with sums and biases") {
  const Surroundings here;
  Bench bench(Products::kLibrary);
  CHECK(bench.device().DescribeProducts() == "cuBLASLt 13.1.2");
  CHECK(bench.device().backend().isa == "sim+cublaslt-13.1.2");
  for (const bool bias : {false, true}) {
    for (const bool accumulate : {false, true}) {
      CAPTURE(bias);
      CAPTURE(accumulate);
      const Shape shape{65, 36, 70, bias, accumulate};
      const long before = Calls();
      CheckProduct(shape, bench.Run(shape));
      CHECK(Calls() > before);
    }
  }
}

TEST_CASE("a factor goes with the product to the library, except beside a bias") {
  const Surroundings here;
  Bench library(Products::kLibrary), own(Products::kOwn);
  for (const bool accumulate : {false, true}) {
    const Shape plain{65, 36, 70, false, accumulate, tensor::DType::kBF16, 0.22f};
    const long before = Calls();
    CheckProduct(plain, library.Run(plain));
    CHECK(Calls() > before);
    const Shape biased{65, 36, 70, true, accumulate, tensor::DType::kBF16, 0.22f};
    const long after = Calls();
    CHECK(library.Run(biased) == own.Run(biased));
    CHECK(Calls() == after);
  }
}

TEST_CASE("few rows, other weights and odd places stay with our own kernels, to the bit") {
  const Surroundings here;
  Bench library(Products::kLibrary), own(Products::kOwn);
  CHECK(own.device().DescribeProducts() == "own kernels");
  CHECK(own.device().backend().isa == "sim");
  const long before = Calls();
  for (const Shape& shape :
       {Shape{64, 36, 70}, Shape{66, 35, 64}, Shape{66, 36, 64, false, false, tensor::DType::kF16},
        Shape{66, 36, 64, false, false, tensor::DType::kF32}}) {
    CAPTURE(shape.m);
    CHECK(library.Run(shape) == own.Run(shape));
  }
  CHECK(own.Run({66, 36, 64}) != library.Run({66, 36, 64}));  // the last one is the library's
  CHECK(Calls() > before);
}

TEST_CASE("the fastest algorithm is taken, where it does not suit another, or our own kernel") {
  const Surroundings here;
  Bench library(Products::kLibrary), own(Products::kOwn);
  CheckProduct({80, 36, 64}, library.Run({80, 36, 64}));
  const long before = Calls();
  library.Run({90, 36, 64});
  CHECK(Calls() == before + 1);                             // chosen for 65 to 128 rows
  CheckProduct({101, 36, 64}, library.Run({101, 36, 64}));  // of which there are no halves
  const long chosen = Calls();
  CHECK(chosen > before + 2);
  library.Run({101, 36, 64});
  library.Run({90, 36, 64});
  CHECK(Calls() == chosen + 2);                                 // both are known
  CHECK(library.Run({102, 36, 64}) == own.Run({102, 36, 64}));  // nothing suits
  CHECK(Calls() == chosen + 2);
  library.Run({130, 36, 64});
  CHECK(Calls() > chosen + 3);
}

TEST_CASE("a product that is replayed as a graph is the library's, too") {
  const Surroundings here;
  Bench bench(Products::kLibrary);
  const Shape shape{72, 20, 64, true, true};
  CheckProduct(shape, bench.Run(shape, true));
  CHECK(static_cast<cuda::DeviceState*>(bench.device().backend().device)->recorder().replays() > 0);
}

TEST_CASE("algorithms are chosen once per card and version, and a damaged file is ignored") {
  const Surroundings here;
  const fs::path file = here.folder / "sglrun" / "cublaslt-13.1.2-simulated_device-sm90.txt";
  const Shape shape{80, 36, 64};
  const auto calls_of_a_run = [&] {
    const long before = Calls();
    Bench(Products::kLibrary).Run(shape);
    return Calls() - before;
  };
  const long first = calls_of_a_run();
  CHECK(first > 2);
  CHECK(fs::exists(file));
  CHECK(calls_of_a_run() == 1);
  const std::string title = "sglrun algorithms 2\n", good = ReadFile(file.string()).value();
  REQUIRE(good.starts_with(title + "36 64 128 0 0 0 "));
  REQUIRE(good.ends_with(" end\n"));
  for (const std::string& damaged :
       {title + "x\n36 64 128 0 0 0 1 2\n", good.substr(0, good.size() - 5), "x" + good}) {
    std::ofstream(file) << damaged;
    CHECK(calls_of_a_run() == first);
  }
  // An algorithm of another's: refused by the library, so that these rows get one of their own.
  std::ofstream(file) << title << "36 64 128 0 0 0 1 2 3 4 5 6 7 8 end\n";
  CHECK(calls_of_a_run() == first);
  CHECK(calls_of_a_run() == 1);
}

TEST_CASE("devices that end at the same time leave a whole file, and nothing beside it") {
  const Surroundings here;
  const std::string file = (here.folder / "algorithms").string();
  constexpr std::int64_t kProducts = 200;
  std::atomic<int> missing = 0;
  const auto run = [&] {
    for (int round = 0; round < 20; ++round) {
      cuda::ChosenAlgorithms chosen(file);
      for (std::int64_t n = 1; n <= kProducts; ++n) {
        if (round > 0 && chosen.Find({.n = n, .k = 1}) == nullptr) ++missing;
        chosen.Add({.n = n, .k = 1}, gpu::lt::Algorithm{});
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  CHECK(missing == 0);
  CHECK(std::distance(fs::directory_iterator(here.folder), {}) == 1);
}

TEST_CASE("a missing library is reported, and the run continues without it") {
  const Surroundings here("/none/lib.so");
  Bench bench(Products::kLibrary);
  CHECK(Has(bench.device().WhyNoLibrary(), "/none/lib.so: cannot open"));
  CheckProduct({66, 36, 64}, bench.Run({66, 36, 64}));
}

}  // namespace
}  // namespace sglrun::kernels
