#include "compare_products.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace sglrun::kernels::cuda {
namespace {

// Numbers of 8 bits, exact in bf16, that depend on their place: a matrix is never held by the host.
float ValueAt(std::int64_t place, std::uint64_t salt) {
  std::uint64_t bits = (static_cast<std::uint64_t>(place) + salt) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  const float value = std::ldexp(static_cast<float>(128 + bits % 128), -7 - int(bits >> 61));
  return (bits >> 40) % 2 == 0 ? value : -value;
}
constexpr std::uint64_t kOfX = 1, kOfWeight = 1000003;

class Memory {
 public:
  Memory(gpu::Runtime& runtime, gpu::Stream stream, std::size_t bytes)
      : runtime_(runtime), stream_(stream), data_(runtime.Alloc(bytes)), bytes_(bytes) {}
  ~Memory() {
    runtime_.Synchronize(stream_);
    runtime_.Free(data_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const { return data_; }

  template <class T, class Value>
  void Fill(Value value) {
    constexpr std::size_t kPart = std::size_t{1} << 18;
    auto* part = static_cast<T*>(runtime_.AllocPinned(kPart * sizeof(T)));
    for (std::size_t at = 0; at < bytes_ / sizeof(T); at += kPart) {
      const std::size_t count = std::min(kPart, bytes_ / sizeof(T) - at);
      for (std::size_t i = 0; i < count; ++i) part[i] = value(static_cast<std::int64_t>(at + i));
      runtime_.CopyToDevice(static_cast<T*>(data_) + at, part, count * sizeof(T), stream_);
      runtime_.Synchronize(stream_);
    }
    runtime_.FreePinned(part);
  }
  std::vector<float> Row(std::int64_t row, std::int64_t width) {
    const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(float);
    void* pinned = runtime_.AllocPinned(bytes);
    runtime_.CopyToHost(pinned, static_cast<float*>(data_) + row * width, bytes, stream_);
    runtime_.Synchronize(stream_);
    std::vector<float> values(static_cast<std::size_t>(width));
    std::memcpy(values.data(), pinned, bytes);
    runtime_.FreePinned(pinned);
    return values;
  }

 private:
  gpu::Runtime& runtime_;
  gpu::Stream stream_;
  void* data_;
  std::size_t bytes_;
};

// Some outputs of each of some rows. One that is no number stays the worst.
double WorstError(Memory& y, std::int64_t m, std::int64_t n, std::int64_t k) {
  double worst = 0;
  for (const std::int64_t row : {std::int64_t{0}, m / 2, m - 1}) {
    const std::vector<float> values = y.Row(row, n);
    for (std::int64_t column = 0; column < n; column += std::max<std::int64_t>(n / 61, 1)) {
      double sum = 0, x_squares = 0, w_squares = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const double x = ValueAt(row * k + i, kOfX);
        const double w = ValueAt(column * PaddedK(k) + i, kOfWeight);
        sum += x * w;
        x_squares += x * x;
        w_squares += w * w;
      }
      const double allowed = 8 * std::sqrt(static_cast<double>(k)) * 0x1p-24 *
                             std::sqrt(x_squares) * std::sqrt(w_squares);
      const double error =
          std::abs(static_cast<double>(values[static_cast<std::size_t>(column)]) - sum);
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                : std::max(worst, error / allowed);
    }
  }
  return worst;
}

}  // namespace

ProductErrors CompareProducts(gpu::Runtime& runtime, const Ops& ops, gpu::Stream stream,
                              LibraryProducts& library, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
  const Weight weight{.type = WeightType::kBF16, .n = n, .k = k};
  GemmParams params{.x = {nullptr, k}, .input = {}, .m = m, .weight = weight, .y = {nullptr, n}};
  Memory w(runtime, stream, WeightBytes(weight));
  Memory x(runtime, stream, static_cast<std::size_t>(m * k) * sizeof(float));
  Memory y(runtime, stream, static_cast<std::size_t>(m * n) * sizeof(float));
  Memory scratch(runtime, stream,
                 std::max(LibraryScratchBytes(params), GemmScratchBytes(m, weight)));
  for (const Memory* memory : {&w, &x, &y, &scratch}) {
    if (memory->data() == nullptr) return {};
  }
  w.Fill<std::uint16_t>([&](std::int64_t at) -> std::uint16_t {
    if (at % PaddedK(k) >= k) return 0;
    const float value = ValueAt(at, kOfWeight);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>(bits >> 16);
  });
  x.Fill<float>([](std::int64_t at) { return ValueAt(at, kOfX); });
  params.weight.data = w.data();
  params.x.data = static_cast<float*>(x.data());
  params.y.data = static_cast<float*>(y.data());
  params.scratch = scratch.data();
  ProductErrors errors;
  // What is left out shows, and what the product before has left cannot pass for this one's.
  const auto forget = [](std::int64_t) { return std::numeric_limits<float>::quiet_NaN(); };
  y.Fill<float>(forget);
  ops.gemm(params, stream);
  errors.own = WorstError(y, m, n, k);
  y.Fill<float>(forget);
  if (library.Multiply(params, ops)) errors.library = WorstError(y, m, n, k);
  return errors;
}

}  // namespace sglrun::kernels::cuda
