// rms_norm, rope and silu_and_mul.
#include "support.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;
using testing::Where;

std::string Size(std::int64_t rows, std::int64_t size) {
  return std::to_string(rows) + " rows of " + std::to_string(size);
}

struct NormCase {
  std::int64_t rows, size, groups;
  bool add, in_place;
  float offset;
};

void RunNorm(const Backend& backend, const NormCase& c, Matrix& x, Matrix& add, Matrix& weight,
             Matrix& y, int threads) {
  ThreadPool pool(threads);
  KernelContext context(pool);
  const RmsNormArgs args{.x = x.view(),
                         .add = c.add ? add.view() : tensor::TensorView{},
                         .weight = weight.flat(),
                         .y = c.in_place ? x.view() : y.view(),
                         .eps = 1e-5f,
                         .weight_offset = c.offset,
                         .groups = c.groups};
  REQUIRE(Check(args) == "");
  backend.table.rms_norm(args, context);
}

TEST_CASE("rms_norm agrees with the reference within 1e-6 of each value, at every size") {
  std::vector<NormCase> cases;
  for (std::int64_t size = 1; size <= 66; ++size) {
    cases.push_back({3, size, 1 + size % 3, size % 2 == 0, false, size % 4 == 0 ? 1.0f : 0.0f});
  }
  cases.push_back({0, 8, 1, true, false, 0});
  cases.push_back({40, 576, 1, true, false, 0});
  cases.push_back({2, 16384, 1, true, false, 0});
  cases.push_back({5, 100, 1, false, true, 0});
  std::mt19937 random(testing::Seed(4));
  for (const NormCase& c : cases) {
    Matrix x(c.rows, c.groups * c.size, 3, 1), add(c.rows, c.groups * c.size, 1, 2);
    Matrix weight(1, c.size);
    x.FillNormal(random, 2.0f);
    add.FillNormal(random);
    weight.FillNormal(random);
    Matrix want_x = x, want(c.rows, c.groups * c.size, 5, 3);
    RunNorm(RefBackend(), c, want_x, add, weight, want, 1);
    for (const Backend* backend : testing::ShelfBackends()) {
      Matrix got_x = x, got(c.rows, c.groups * c.size, 5, 3);
      RunNorm(*backend, c, got_x, add, weight, got, 2);
      Matrix& a = c.in_place ? got_x : got;
      Matrix& b = c.in_place ? want_x : want;
      // Gemma's (1 + w) is rounded to float32 before the product.
      ExpectClose({"rms_norm", backend, Size(c.rows, c.size)}, a, b,
                  [&](std::int64_t m, std::int64_t n) {
                    const double one = c.offset == 0 ? 0 : std::fabs(want_x(m, n)) * 0x1p-23;
                    return 1e-6 * std::fabs(b(m, n)) + one;
                  });
      if (!c.in_place) ExpectSameBits({"rms_norm's x", backend, "add"}, got_x, want_x);
    }
  }
}

TEST_CASE("a vector of zeros is normalised to zeros, a NaN stays in its vector") {
  for (const Backend* backend : testing::ShelfBackends()) {
    Matrix x(3, 20), weight(1, 20), y(3, 20), none(0, 0);
    weight.Fill([](std::int64_t, std::int64_t) { return 1.0f; });
    x.Fill([](std::int64_t r, std::int64_t) { return r == 0 ? 0.0f : 2.0f; });
    x(1, 19) = NAN;
    RunNorm(*backend, {3, 20, 1, false, false, 0}, x, none, weight, y, 1);
    CHECK(y(0, 0) == 0.0f);
    CHECK(std::isnan(y(1, 0)));
    CHECK(y(2, 19) == doctest::Approx(1.0));
  }
}

TEST_CASE("rope turns pairs as the reference does, and leaves what lies beyond rot alone") {
  std::mt19937 random(testing::Seed(5));
  std::uniform_real_distribution<float> angle(-3.2f, 3.2f);
  std::uniform_int_distribution<std::int32_t> position(0, 49);
  for (std::int64_t half = 0; half <= 36; ++half) {
    for (const int per_token : {1, 3}) {
      const std::int64_t tokens = 5, heads = 3, head_dim = 2 * half + (half % 3) * 2 + 2;
      Matrix cos(50, half), sin(50, half), x(tokens, heads * head_dim, 7, 1);
      for (std::int64_t p = 0; p < 50; ++p) {
        for (std::int64_t i = 0; i < half; ++i) {
          const float a = angle(random);
          cos(p, i) = std::cos(a);
          sin(p, i) = std::sin(a);
        }
      }
      x.FillNormal(random);
      std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens * per_token));
      for (auto& p : positions) p = position(random);
      std::vector<std::uint8_t> axis(static_cast<std::size_t>(half));
      for (std::size_t i = 0; i < axis.size(); ++i) axis[i] = static_cast<std::uint8_t>(i % 3);
      const auto run = [&](const Backend& backend, Matrix& data) {
        ThreadPool pool(2);
        KernelContext context(pool);
        RopeArgs args{.x = data.view(),
                      .heads = heads,
                      .head_dim = head_dim,
                      .positions = positions,
                      .positions_per_token = per_token,
                      .axis = {},
                      .cos_table = cos.view(),
                      .sin_table = sin.view()};
        if (per_token == 3) args.axis = axis;
        REQUIRE(Check(args) == "");
        backend.table.rope(args, context);
      };
      Matrix want = x;
      run(RefBackend(), want);
      for (const Backend* backend : testing::ShelfBackends()) {
        Matrix got = x;
        run(*backend, got);
        // Two products and a sum, each rounded: 2^-24 of the magnitudes of both elements.
        ExpectClose({"rope", backend, "half " + std::to_string(half)}, got, want,
                    [&](std::int64_t, std::int64_t) { return 0x1p-24 * 16; });
      }
    }
  }
}

TEST_CASE("silu_and_mul agrees with the reference to a millionth, from tiny to huge") {
  std::mt19937 random(testing::Seed(6));
  for (std::int64_t size = 0; size <= 40; ++size) {
    Matrix x(4, 2 * size, 3, 1);
    x.FillNormal(random, 10.0f);
    if (size >= 8) {
      const float extremes[] = {0.0f, -0.0f, 1e-30f, -87.0f, 88.9f, -103.0f, 3e38f, -3e38f};
      for (std::int64_t i = 0; i < 8; ++i) x(0, i) = extremes[i];
      x(1, 0) = NAN;
      x(2, 0) = INFINITY;
    }
    const auto run = [&](const Backend& backend, Matrix& y) {
      ThreadPool pool(2);
      KernelContext context(pool);
      const SiluAndMulArgs args{.x = x.view(), .y = y.view()};
      REQUIRE(Check(args) == "");
      backend.table.silu_and_mul(args, context);
    };
    Matrix want(4, size, 2, 1);
    run(RefBackend(), want);
    for (const Backend* backend : testing::ShelfBackends()) {
      Matrix got(4, size, 2, 1);
      run(*backend, got);
      // The floor: exp is 0 below 2^-126, of at most 104 times the other factor.
      ExpectClose(
          {"silu_and_mul", backend, Size(4, size)}, got, want, [&](std::int64_t r, std::int64_t c) {
            return 1e-6 * std::fabs(want(r, c)) + 128 * 0x1p-126 * (1 + std::fabs(x(r, size + c)));
          });
    }
  }
}

}  // namespace
}  // namespace sglrun::kernels
