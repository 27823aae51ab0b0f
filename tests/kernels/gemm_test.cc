#include "kernels/gemm.h"

#include "support.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using testing::Matrix;
using testing::Where;

struct Case {
  std::int64_t m, n, k;
  DType dtype = DType::kBF16;
  bool bias = false;
  bool accumulate = false;
  std::int64_t gap = 0;
  std::int64_t offset = 0;
  float alpha = 1.0f;

  std::string ToString() const {
    return "m " + std::to_string(m) + " n " + std::to_string(n) + " k " + std::to_string(k) + " " +
           tensor::DTypeName(dtype) + (bias ? " bias" : "") + (accumulate ? " accumulate" : "") +
           " gap " + std::to_string(gap) + " offset " + std::to_string(offset) + " alpha " +
           std::to_string(alpha);
  }
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const DType dtype : {DType::kBF16, DType::kF32, DType::kF16}) {
    for (std::int64_t k = 0; k <= 33; ++k) cases.push_back({3, 5, k, dtype});
    for (std::int64_t n = 0; n <= 33; ++n) cases.push_back({2, n, 9, dtype, true, n % 2 == 1});
    for (std::int64_t m = 0; m <= 14; ++m) cases.push_back({m, 70, 31, dtype, false, false, 3, 1});
    for (const std::int64_t n : {63, 64, 65, 127, 128, 129, 200}) {
      cases.push_back({7, n, 64, dtype, true, true, 5, 3});
    }
    cases.push_back({1, 576, 576, dtype});
    cases.push_back({100, 130, 257, dtype, true, false, 1, 2});
    cases.push_back({193, 66, 40, dtype});
    for (const std::int64_t m : {1, 7, 40}) {
      for (const bool bias : {false, true}) {
        cases.push_back({m, 70, 200, dtype, bias, true, 1, 2, 0.22f});
        cases.push_back({m, 70, 200, dtype, bias, false, 1, 2, -3.5f});
      }
    }
  }
  return cases;
}

// A call on one backend; y starts as tombstones, or as given numbers when it accumulates.
void RunGemm(const Backend& backend, const Case& c, Matrix& x, Matrix& w, Matrix& bias, Matrix& y,
             int threads = 1) {
  ThreadPool pool(threads);
  KernelContext context(pool);
  const PackedWeight weight = testing::Pack(backend, w, c.dtype, context, 37);
  const GemmArgs args{.x = x.view(),
                      .weight = &weight,
                      .bias = c.bias ? bias.flat() : tensor::TensorView{},
                      .y = y.view(),
                      .accumulate = c.accumulate,
                      .alpha = c.alpha};
  REQUIRE(Check(args) == "");
  backend.table.gemm(args, context);
}

double Norm(Matrix& matrix, std::int64_t row) {
  double squares = 0;
  for (std::int64_t i = 0; i < matrix.columns(); ++i) {
    squares += double{matrix(row, i)} * matrix(row, i);
  }
  return std::sqrt(squares);
}

TEST_CASE("gemm agrees with the reference within the rounding of a float32 sum") {
  std::mt19937 random(testing::Seed(1));
  for (const Case& c : Cases()) {
    if (testing::SkippedHere(1)) continue;
    Matrix x(c.m, c.k, c.gap, c.offset), w(c.n, c.k), bias(1, c.n),
        start(c.m, c.n, c.gap, c.offset);
    x.FillNormal(random);
    w.FillNormal(random, 0.1f);
    bias.FillNormal(random);
    if (c.accumulate) start.FillNormal(random);
    Matrix want = start;
    RunGemm(RefBackend(), c, x, w, bias, want);
    const auto tolerance = [&](std::int64_t m, std::int64_t n) {
      const double factor = std::fabs(c.alpha);
      const double sum = 2 * factor * std::sqrt(double(c.k)) * Norm(x, m) * Norm(w, n);
      const double ends = factor * std::fabs(bias(0, n)) + std::fabs(want(m, n)) + 1;
      return 0x1p-24 * (2 * sum + 4 * ends);
    };
    for (const Backend* backend : testing::ProductBackends(c.dtype)) {
      if (!testing::Serves(*backend, c.dtype)) continue;
      Matrix y = start;
      RunGemm(*backend, c, x, w, bias, y, 1 + c.n % 3);
      ExpectClose({"gemm", backend, c.ToString()}, y, want, tolerance);
    }
  }
}

TEST_CASE("a row of gemm has the same bits alone and in a batch of any size, on any threads") {
  std::mt19937 random(testing::Seed(2));
  for (const DType dtype : {DType::kBF16, DType::kF32, DType::kF16}) {
    Matrix x(70, 95), w(150, 95), bias(1, 150);
    x.FillNormal(random);
    w.FillNormal(random);
    bias.FillNormal(random);
    for (const Backend* backend : testing::ProductBackends(dtype)) {
      if (!testing::Serves(*backend, dtype)) continue;
      Matrix all(70, 150);
      RunGemm(*backend, {70, 150, 95, dtype, true}, x, w, bias, all);
      for (std::int64_t m = 1; m <= 70; ++m) {
        if (testing::SkippedHere(7)) continue;
        // The last m rows: each row meets every place in a tile.
        Matrix part(m, 95), y(m, 150), want(m, 150);
        part.Fill([&](std::int64_t r, std::int64_t c) { return x(70 - m + r, c); });
        want.Fill([&](std::int64_t r, std::int64_t c) { return all(70 - m + r, c); });
        const Case c{m, 150, 95, dtype, true};
        RunGemm(*backend, c, part, w, bias, y, 1 + static_cast<int>(m % 3));
        ExpectSameBits({"gemm", backend, c.ToString()}, y, want);
      }
    }
  }
}

TEST_CASE("a row of a weight with many outputs has the same bits alone and in a batch") {
  std::mt19937 random(testing::Seed(7));
  Matrix x(70, 130), w(8200, 130), none(1, 0);
  x.FillNormal(random);
  w.FillNormal(random);
  for (const Backend* backend : testing::ShelfBackends()) {
    if (testing::SkippedHere(1)) continue;
    Matrix all(70, 8200);
    RunGemm(*backend, {70, 8200, 130, DType::kBF16}, x, w, none, all);
    for (const std::int64_t m : {1, 20}) {
      Matrix part(m, 130), y(m, 8200), want(m, 8200);
      part.Fill([&](std::int64_t r, std::int64_t c) { return x(47 + r, c); });
      want.Fill([&](std::int64_t r, std::int64_t c) { return all(47 + r, c); });
      const Case c{m, 8200, 130, DType::kBF16};
      RunGemm(*backend, c, part, w, none, y);
      ExpectSameBits({"gemm", backend, c.ToString()}, y, want);
    }
  }
}

TEST_CASE("gemm keeps NaN and infinity in the rows and columns they belong to") {
  for (const DType dtype : {DType::kBF16, DType::kF32}) {
    Matrix x(9, 6), w(70, 6), bias(1, 70);
    x.Fill([](std::int64_t r, std::int64_t c) { return float(r + c + 1); });
    w.Fill([](std::int64_t r, std::int64_t c) { return float(r % 5 + c); });
    x(4, 3) = NAN;
    x(7, 0) = INFINITY;
    w(69, 5) = NAN;
    Matrix want(9, 70);
    RunGemm(RefBackend(), {9, 70, 6, dtype}, x, w, bias, want);
    for (const Backend* backend : testing::ProductBackends(dtype)) {
      Matrix y(9, 70);
      RunGemm(*backend, {9, 70, 6, dtype}, x, w, bias, y);
      ExpectClose({"gemm", backend, "NaN and infinity"}, y, want,
                  [](std::int64_t, std::int64_t) { return 0.0; });
    }
  }
}

TEST_CASE(
    "embed gives back the rows that were packed, in any grouping, rounded to the weight's type") {
  std::mt19937 random(testing::Seed(3));
  for (const DType dtype : {DType::kBF16, DType::kF32, DType::kF16}) {
    for (const std::int64_t k : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129}) {
      Matrix w(150, k, 2, 1);
      w.FillNormal(random, 3.0f);
      w(7, 0) = 0.0f;
      w(8, 0) = -INFINITY;
      w(9, 0) = 3.3e38f;  // rounds up to infinity in bf16
      const std::vector<std::int32_t> ids = {0, 7, 8, 9, 149, 63, 64, 64, 1};
      Matrix want(9, k);
      want.Fill([&](std::int64_t r, std::int64_t c) {
        const float value = w(ids[static_cast<std::size_t>(r)], c);
        if (dtype == DType::kF16) return tensor::F16ToFloat(tensor::FloatToF16(value));
        return dtype == DType::kF32 ? value : tensor::BF16ToFloat(tensor::FloatToBF16(value));
      });
      for (const Backend* backend : testing::ShelfBackends()) {
        if (!testing::Serves(*backend, dtype)) continue;
        for (const std::int64_t block : {1, 50, 64, 150}) {
          ThreadPool pool(2);
          KernelContext context(pool);
          const PackedWeight weight = testing::Pack(*backend, w, dtype, context, block);
          Matrix out(9, k, 3, 2);
          EmbedArgs args{.ids = ids, .weight = &weight, .out = out.view()};
          REQUIRE(Check(args) == "");
          backend->table.embed(args, context);
          ExpectSameBits({"embed", backend, "k " + std::to_string(k)}, out, want);
          args.scale = 0.3f;
          Matrix scaled = want;
          scaled.Fill([&](std::int64_t r, std::int64_t c) { return want(r, c) * 0.3f; });
          backend->table.embed(args, context);
          ExpectSameBits({"embed", backend, "scaled, k " + std::to_string(k)}, out, scaled);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sglrun::kernels
