// norm, rope and activation.
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
  NormKind kind = NormKind::kRms;
  bool bias = false;
};

void RunNorm(const Backend& backend, const NormCase& c, Matrix& x, Matrix& add, Matrix& weight,
             Matrix& y, int threads) {
  ThreadPool pool(threads);
  KernelContext context(pool);
  Matrix bias(1, c.size);
  bias.Fill([](std::int64_t, std::int64_t i) { return static_cast<float>(i % 5) - 1.7f; });
  const NormArgs args{.kind = c.kind,
                      .x = x.view(),
                      .add = c.add ? add.view() : tensor::TensorView{},
                      .weight = weight.flat(),
                      .y = c.in_place ? x.view() : y.view(),
                      .eps = 1e-5f,
                      .groups = c.groups,
                      .bias = c.bias ? bias.flat() : tensor::TensorView{}};
  REQUIRE(Check(args) == "");
  backend.table.norm(args, context);
}

TEST_CASE("norms agree with the reference within 1e-6 of each value, at every size") {
  std::vector<NormCase> cases;
  for (const NormKind kind : {NormKind::kRms, NormKind::kLayer}) {
    const bool bias = kind == NormKind::kLayer;
    for (std::int64_t size = 1; size <= 66; ++size) {
      cases.push_back({3, size, 1 + size % 3, size % 2 == 0, false, kind, bias && size % 4 != 0});
    }
    cases.push_back({0, 8, 1, true, false, kind});
    cases.push_back({40, 576, 1, true, false, kind, bias});
    cases.push_back({2, 5000, 1, false, false, kind, bias});
    cases.push_back({2, 16384, 1, true, false, kind});
    cases.push_back({5, 100, 1, false, true, kind, bias});
  }
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
      // A mean and a bias may cancel what is left.
      const bool is_layer = c.kind == NormKind::kLayer;
      ExpectClose({is_layer ? "layer_norm" : "rms_norm", backend, Size(c.rows, c.size)}, a, b,
                  [&](std::int64_t m, std::int64_t n) {
                    const double size = std::fabs(b(m, n));
                    const double most = std::fabs(weight(0, n % c.size)) * 4 + 3;
                    return 1e-6 * (is_layer ? std::max(size, most) : size);
                  });
      if (!c.in_place) ExpectSameBits({"the norm's x", backend, "add"}, got_x, want_x);
    }
  }
}

TEST_CASE("a vector of zeros is normalised to zeros, a NaN stays in its vector") {
  for (const Backend* backend : testing::ShelfBackends()) {
    Matrix x(3, 20), weight(1, 20), y(3, 20), none(0, 0);
    weight.Fill([](std::int64_t, std::int64_t) { return 1.0f; });
    x.Fill([](std::int64_t r, std::int64_t) { return r == 0 ? 0.0f : 2.0f; });
    x(1, 19) = NAN;
    RunNorm(*backend, {3, 20, 1, false, false}, x, none, weight, y, 1);
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

struct ActivationCase {
  ActivationKind kind;
  bool gated;
};
constexpr ActivationCase kActivations[] = {
    {ActivationKind::kSilu, true},     {ActivationKind::kSilu, false},
    {ActivationKind::kGelu, true},     {ActivationKind::kGelu, false},
    {ActivationKind::kGeluTanh, true}, {ActivationKind::kGeluTanh, false},
    {ActivationKind::kRelu, true},     {ActivationKind::kRelu, false},
    {ActivationKind::kRelu2, true},    {ActivationKind::kRelu2, false},
    {ActivationKind::kSoftcap, false}};

// The share of a value that may be wrong: the exponent of a gelu grows with its argument.
double ErrorOf(ActivationKind kind, double a) {
  const bool is_gelu = kind == ActivationKind::kGelu || kind == ActivationKind::kGeluTanh;
  return is_gelu ? 1e-6 * (1 + std::min(a * a, 200.0)) : 1e-6;
}

void RunActivation(const Backend& backend, const ActivationCase& c, Matrix& x, Matrix& y) {
  ThreadPool pool(2);
  KernelContext context(pool);
  const ActivationArgs args{
      .kind = c.kind, .gated = c.gated, .x = x.view(), .y = y.view(), .cap = 7.0f};
  REQUIRE(Check(args) == "");
  backend.table.activation(args, context);
}

TEST_CASE("activations agree with the reference to a millionth, from tiny to huge") {
  std::mt19937 random(testing::Seed(6));
  for (std::int64_t i = 0; i < 41 * std::ssize(kActivations); ++i) {
    const std::int64_t size = i % 41;
    const ActivationCase& c = kActivations[i / 41];
    Matrix x(4, (c.gated ? 2 : 1) * size, 3, 1);
    x.FillNormal(random, 10.0f);
    if (size >= 8) {
      const float extremes[] = {0.0f, -0.0f, 1e-30f, -87.0f, 88.9f, -103.0f, 3e38f, -3e38f};
      for (std::int64_t n = 0; n < 8; ++n) x(0, n) = extremes[n];
      x(1, 0) = NAN;
      x(2, 0) = INFINITY;
    }
    Matrix want(4, size, 2, 1);
    RunActivation(RefBackend(), c, x, want);
    for (const Backend* backend : testing::ShelfBackends()) {
      Matrix got(4, size, 2, 1);
      RunActivation(*backend, c, x, got);
      // The floor: exp is 0 below 2^-126, of at most 104 times the other factor.
      ExpectClose({"activation", backend, Size(4, size)}, got, want,
                  [&](std::int64_t r, std::int64_t n) {
                    const double up = c.gated ? std::fabs(double{x(r, size + n)}) : 1;
                    return ErrorOf(c.kind, x(r, n)) * std::fabs(double{want(r, n)}) +
                           128 * 0x1p-126 * (1 + up);
                  });
    }
  }
}

TEST_CASE("a soft cap is applied in place") {
  for (const Backend* backend : testing::ShelfBackends()) {
    Matrix z(2, 5);
    z.Fill([](std::int64_t r, std::int64_t c) { return r == 0 ? 1e-3f : 10.0f * float(c); });
    RunActivation(*backend, {ActivationKind::kSoftcap, false}, z, z);
    CHECK(z(0, 2) == doctest::Approx(1e-3));
    CHECK(z(1, 1) == doctest::Approx(7 * std::tanh(10.0 / 7)));
    CHECK(z(1, 4) == doctest::Approx(7 * std::tanh(40.0 / 7)));
  }
}

TEST_CASE("scale_add gives the bits of the reference, added to y or in its place") {
  std::mt19937 random(testing::Seed(9));
  for (const bool accumulate : {false, true}) {
    for (const bool has_bias : {false, true}) {
      for (std::int64_t size = 1; size <= 70; size += 3) {
        Matrix x(5, size, 2, 1), gain(1, size), bias(1, size), y(5, size, 4, 3);
        for (Matrix* matrix : {&x, &gain, &bias, &y}) matrix->FillNormal(random);
        const auto run = [&](const Backend& backend, Matrix to) {
          ThreadPool pool(2);
          KernelContext context(pool);
          const ScaleAddArgs args{.x = x.view(),
                                  .gain = gain.flat(),
                                  .bias = has_bias ? bias.flat() : tensor::TensorView{},
                                  .y = to.view(),
                                  .accumulate = accumulate,
                                  .alpha = 0.7f};
          REQUIRE(Check(args) == "");
          backend.table.scale_add(args, context);
          return to;
        };
        Matrix want = run(RefBackend(), y);
        for (const Backend* backend : testing::ShelfBackends()) {
          if (backend->device != nullptr) continue;  // see kernels/cuda/backend.cc
          Matrix got = run(*backend, y);
          ExpectSameBits({"scale_add", backend, Size(5, size)}, got, want);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sglrun::kernels
