// gemm and embed with quantised weights, in every form that codes can have.
#include <algorithm>

#include "kernels/common/quantize.h"
#include "kernels/gemm.h"
#include "support.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using testing::Matrix;

std::string FormName(const WeightForm& form) {
  return std::string(tensor::DTypeName(form.dtype)) + " groups of " +
         std::to_string(form.quant.group) + (form.quant.wide_scales ? " wide" : "") +
         (form.quant.minima ? " minima" : "");
}

std::vector<WeightForm> AllForms() {
  std::vector<WeightForm> forms;
  for (const DType dtype : {DType::kI8, DType::kI4}) {
    for (const std::int32_t group : {64, 32, 16}) {
      if (group == 64 && dtype == DType::kI4) continue;
      for (const bool wide : {false, true}) {
        for (const bool minima : {false, true}) forms.push_back({dtype, {group, wide, minima}});
      }
    }
  }
  return forms;
}

// Random codes with random scales, as a file would hold them.
struct Codes {
  WeightForm form;
  std::int64_t n, k;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales, minima;

  Codes(const WeightForm& f, std::int64_t rows, std::int64_t columns, std::mt19937& random)
      : form(f), n(rows), k(columns) {
    std::uniform_int_distribution<int> any(0, form.dtype == DType::kI8 ? 255 : 15);
    for (std::int64_t i = 0; i < n * k; ++i) {
      codes.push_back(static_cast<std::uint8_t>(any(random)));
    }
    std::normal_distribution<float> normal(0, 0.01f);
    const auto scale = [&] {
      const float value = normal(random);
      return form.quant.wide_scales ? value : tensor::F16ToFloat(tensor::FloatToF16(value));
    };
    for (std::int64_t i = 0; i < n * form.Groups(k); ++i) {
      scales.push_back(scale());
      if (form.quant.minima) minima.push_back(scale());
    }
  }

  PackedWeight Pack(const Backend& backend, KernelContext& context, std::int64_t block) const {
    PackedWeight weight{
        n, k, form.dtype,
        tensor::Buffer(*backend.allocator, backend.table.packed_weight_bytes(n, k, form)),
        form.quant};
    const std::int64_t groups = form.Groups(k);
    for (std::int64_t first = 0; first < n; first += block) {
      const PackCodesArgs args{&weight,
                               first,
                               std::min(block, n - first),
                               codes.data() + first * k,
                               scales.data() + first * groups,
                               form.quant.minima ? minima.data() + first * groups : nullptr};
      REQUIRE(Check(args) == "");
      backend.table.pack_codes(args, context);
    }
    return weight;
  }

  float Element(std::int64_t row, std::int64_t i) const {
    const auto group = static_cast<std::size_t>(row * form.Groups(k) + i / form.quant.group);
    const int code = codes[static_cast<std::size_t>(row * k + i)] - form.zero();
    const float value = scales[group] * static_cast<float>(code);
    return form.quant.minima ? value + minima[group] : value;
  }
};

void Run(const Backend& backend, const PackedWeight& weight, Matrix& x, Matrix& bias, Matrix& y,
         bool accumulate, KernelContext& context) {
  const GemmArgs args{.x = x.view(),
                      .weight = &weight,
                      .bias = bias.columns() > 0 ? bias.flat() : tensor::TensorView{},
                      .y = y.view(),
                      .accumulate = accumulate,
                      .alpha = accumulate ? 0.22f : 1.0f};
  REQUIRE(Check(args) == "");
  backend.table.gemm(args, context);
}

struct Size {
  std::int64_t m, n, k;
  bool ends = false;  // bias and accumulation
};

TEST_CASE("gemm with quantised weights agrees with the reference within a float32 sum of groups") {
  std::mt19937 random(testing::Seed(11));
  std::vector<Size> sizes = {
      {0, 3, 40}, {3, 0, 40}, {2, 5, 0}, {1, 576, 576}, {100, 130, 257, true}};
  for (std::int64_t k = 1; k <= 67; ++k) sizes.push_back({3, 5, k});
  for (std::int64_t m = 1; m <= 14; ++m) sizes.push_back({m, 70, 96, m % 2 == 1});
  for (const std::int64_t n : {1, 15, 16, 17, 63, 64, 65, 129}) sizes.push_back({5, n, 64, true});
  for (const WeightForm& form : AllForms()) {
    for (const Size& size : sizes) {
      if (testing::SkippedHere(9)) continue;
      Matrix x(size.m, size.k, 3, 1), bias(1, size.ends ? size.n : 0), start(size.m, size.n, 5, 2);
      x.FillNormal(random);
      bias.FillNormal(random);
      if (size.ends) start.FillNormal(random);
      const Codes codes(form, size.n, size.k, random);
      ThreadPool one(1), some(1 + static_cast<int>(size.m % 3));
      KernelContext context(one), threads(some);
      Matrix want = start;
      Run(RefBackend(), codes.Pack(RefBackend(), context, 37), x, bias, want, size.ends, context);
      const auto tolerance = [&](std::int64_t m, std::int64_t n) {
        double norm_x = 0, norm_w = 0;
        for (std::int64_t i = 0; i < size.k; ++i) {
          norm_x += double{x(m, i)} * x(m, i);
          const double step = std::fabs(codes.scales[static_cast<std::size_t>(
              n * form.Groups(size.k) + i / form.quant.group)]);
          // A code's own size, not its distance from zero: the offset is taken back in integers,
          // but minima and codes are large numbers that cancel.
          norm_w += step * step * 65536;
        }
        const double groups = static_cast<double>(form.Groups(size.k));
        const double ends = std::fabs(want(m, n)) + 1;
        return 0x1p-24 * (4 * std::sqrt(groups * norm_x * norm_w) + 4 * ends);
      };
      for (const Backend* backend : testing::ProductBackends(form.dtype)) {
        if (!testing::Serves(*backend, form)) continue;
        Matrix y = start;
        Run(*backend, codes.Pack(*backend, context, 50), x, bias, y, size.ends, threads);
        ExpectClose({"gemm", backend,
                     FormName(form) + " m " + std::to_string(size.m) + " n " +
                         std::to_string(size.n) + " k " + std::to_string(size.k)},
                    y, want, tolerance);
      }
    }
  }
}

TEST_CASE("a row of quantised gemm has the same bits alone and in any batch, on any threads") {
  std::mt19937 random(testing::Seed(12));
  for (const WeightForm& form : AllForms()) {
    const Codes codes(form, 150, 95, random);
    Matrix x(40, 95), none(1, 0);
    x.FillNormal(random);
    std::vector<std::vector<float>> of_isas;
    for (const Backend* backend : testing::ProductBackends(form.dtype)) {
      if (!testing::Serves(*backend, form)) continue;
      ThreadPool one(1), two(2);
      KernelContext context(one), threads(two);
      const PackedWeight weight = codes.Pack(*backend, context, 64);
      Matrix all(40, 150);
      Run(*backend, weight, x, none, all, false, context);
      for (std::int64_t m = 1; m <= 40; ++m) {
        if (testing::SkippedHere(13)) continue;
        Matrix part(m, 95), y(m, 150), want(m, 150);
        part.Fill([&](std::int64_t r, std::int64_t c) { return x(40 - m + r, c); });
        want.Fill([&](std::int64_t r, std::int64_t c) { return all(40 - m + r, c); });
        Run(*backend, weight, part, none, y, false, m % 2 == 0 ? context : threads);
        ExpectSameBits({"gemm", backend, FormName(form) + " m " + std::to_string(m)}, y, want);
      }
    }
  }
}

TEST_CASE("embed gives the elements of quantised rows to the bit, in any grouping") {
  std::mt19937 random(testing::Seed(13));
  for (const WeightForm& form : AllForms()) {
    for (const std::int64_t k : {1, 15, 16, 17, 31, 32, 33, 64, 129}) {
      const Codes codes(form, 150, k, random);
      const std::vector<std::int32_t> ids = {0, 149, 63, 64, 64, 1};
      Matrix want(6, k);
      want.Fill([&](std::int64_t r, std::int64_t c) {
        return codes.Element(ids[static_cast<std::size_t>(r)], c);
      });
      std::vector<const Backend*> backends = testing::ShelfBackends();
      backends.push_back(&RefBackend());
      for (const Backend* backend : backends) {
        if (!testing::Serves(*backend, form)) continue;
        ThreadPool pool(2);
        KernelContext context(pool);
        const PackedWeight weight = codes.Pack(*backend, context, k % 2 == 0 ? 50 : 64);
        Matrix out(6, k, 3, 2);
        backend->table.embed({.ids = ids, .weight = &weight, .out = out.view()}, context);
        ExpectSameBits({"embed", backend, FormName(form) + " k " + std::to_string(k)}, out, want);
        Matrix scaled = want;
        scaled.Fill([&](std::int64_t r, std::int64_t c) { return want(r, c) * 0.3f; });
        backend->table.embed({.ids = ids, .weight = &weight, .out = out.view(), .scale = 0.3f},
                             context);
        ExpectSameBits({"embed scaled", backend, FormName(form)}, out, scaled);
      }
    }
  }
}

TEST_CASE("float32 rows are quantised to the same codes everywhere, within half a step") {
  std::mt19937 random(testing::Seed(14));
  for (const WeightForm& form :
       {WeightForm(DType::kI8), WeightForm(DType::kI8, {.group = 64}), WeightForm(DType::kI4)}) {
    for (const std::int64_t k : {1, 31, 32, 33, 63, 65, 576}) {
      Matrix w(70, k, 2, 1);
      w.FillNormal(random, 0.05f);
      for (std::int64_t i = 0; i < k; ++i) w(3, i) = 0.0f;
      w(4, 0) = 1e30f;
      w(5, 0) = 1e-30f;
      ThreadPool pool(2);
      KernelContext context(pool);
      std::vector<std::int32_t> ids(70);
      for (std::int32_t i = 0; i < 70; ++i) ids[static_cast<std::size_t>(i)] = i;
      const PackedWeight reference = testing::Pack(RefBackend(), w, form, context);
      Matrix want(70, k);
      RefBackend().table.embed({.ids = ids, .weight = &reference, .out = want.view()}, context);
      for (std::int64_t r = 6; r < 70; ++r) {
        for (std::int64_t i = 0; i < k; ++i) {
          double largest = 0;
          const std::int64_t size = form.quant.group, begin = i / size * size;
          for (std::int64_t j = begin; j < std::min(k, begin + size); ++j) {
            largest = std::max(largest, std::fabs(double{w(r, j)}));
          }
          // Half a step, and what the float16 of the minimum is off by.
          const double most = form.dtype == DType::kI8 ? largest / 127 * 0.51 : largest / 15 * 1.02;
          // Scales below 2^-14 are float16 subnormals, whose steps are 2^-24.
          CHECK(std::fabs(want(r, i) - w(r, i)) <= most + 127 * 0x1p-25);
        }
      }
      CHECK(want(3, 0) == 0.0f);
      for (const Backend* backend : testing::ShelfBackends()) {
        if (!testing::Serves(*backend, form)) continue;
        const PackedWeight weight = testing::Pack(*backend, w, form, context, 37);
        Matrix out(70, k);
        backend->table.embed({.ids = ids, .weight = &weight, .out = out.view()}, context);
        ExpectSameBits({"pack_rows", backend, FormName(form)}, out, want);
      }
    }
  }
}

TEST_CASE("quantised gemm makes a row with NaN or infinity NaN, and no other") {
  std::mt19937 random(testing::Seed(15));
  for (const DType dtype : {DType::kI8, DType::kI4}) {
    Matrix w(70, 40), x(9, 40), none(1, 0);
    w.FillNormal(random);
    x.FillNormal(random);
    x(4, 3) = NAN;
    x(7, 39) = -INFINITY;
    for (std::int64_t i = 0; i < 40; ++i) x(2, i) = 1e-35f;  // counts as zeros
    w(69, 5) = NAN;
    for (const Backend* backend : testing::ProductBackends(dtype)) {
      ThreadPool pool(1);
      KernelContext context(pool);
      const PackedWeight weight = testing::Pack(*backend, w, dtype, context);
      Matrix y(9, 70);
      Run(*backend, weight, x, none, y, false, context);
      for (std::int64_t r = 0; r < 9; ++r) {
        for (std::int64_t c = 0; c < 70; ++c) {
          CHECK(std::isnan(y(r, c)) == (r == 4 || r == 7 || c == 69));
        }
      }
      CHECK(y(2, 0) == 0.0f);
    }
  }
}

TEST_CASE("activations round to the nearest of 255 steps") {
  QuantFloats x[2] = {};
  for (int i = 0; i < 32; ++i) x[i / 16][i % 16] = static_cast<float>(i - 16) * 0.5f;
  QuantInts codes[2];
  const float scale = RoundActivations(x, codes);
  CHECK(scale == 8.0f / 127.0f);
  for (int i = 0; i < 32; ++i) {
    const std::int32_t code = codes[i / 16][i % 16];
    CHECK(code ==
          static_cast<int>(std::nearbyint(static_cast<float>(i - 16) * 0.5f * (127.0f / 8.0f))));
  }
}

}  // namespace
}  // namespace sglrun::kernels
