// route and expert_mlp.
#include <numeric>

#include "support.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;

struct RouteCase {
  std::int64_t rows, experts, chosen;
  RouteScore score = RouteScore::kSoftmax;
  bool renormalise = false, bias = false;
  float scale = 1.0f;
};

struct Routes {
  Routes(std::int64_t rows, std::int64_t chosen)
      : experts(static_cast<std::size_t>(rows * chosen), -7), weights(rows, chosen) {}

  tensor::TensorView ExpertView() {
    return tensor::MakeView(experts.data(), tensor::DType::kI32,
                            {weights.rows(), weights.columns()});
  }

  std::vector<std::int32_t> experts;
  Matrix weights;
};

Routes Route(const Backend& backend, const RouteCase& c, Matrix& logits, Matrix& bias) {
  ThreadPool pool(2);
  KernelContext context(pool);
  Routes routes(logits.rows(), c.chosen);
  const RouteArgs args{.score = c.score,
                       .renormalise = c.renormalise,
                       .scale = c.scale,
                       .logits = logits.view(),
                       .choice_bias = c.bias ? bias.flat() : tensor::TensorView{},
                       .experts = routes.ExpertView(),
                       .weights = routes.weights.view()};
  REQUIRE(Check(args) == "");
  backend.table.route(args, context);
  return routes;
}

std::vector<RouteCase> RouteCases() {
  std::vector<RouteCase> cases;
  for (std::int64_t experts = 1; experts <= 34; ++experts) {
    const bool odd = experts % 2 == 1;
    cases.push_back({3, experts, 1 + experts / 3,
                     experts % 3 == 0 ? RouteScore::kSigmoid : RouteScore::kSoftmax, odd,
                     experts % 4 == 0, odd ? 1.0f : 2.5f});
  }
  cases.push_back({0, 8, 2});
  cases.push_back({200, 64, 8});
  cases.push_back({5, 128, 128, RouteScore::kSigmoid, true, true});
  cases.push_back({2, kMostExperts, 10, RouteScore::kSoftmax, true});
  return cases;
}

TEST_CASE("routes are those of the reference, and their weights to 4e-6") {
  std::mt19937 random(testing::Seed(71));
  for (const RouteCase& c : RouteCases()) {
    Matrix logits(c.rows, c.experts, 3, 1), bias(1, c.experts);
    logits.FillNormal(random, 3.0f);
    bias.FillNormal(random, 0.2f);
    Routes want = Route(RefBackend(), c, logits, bias);
    for (const Backend* backend : testing::ShelfBackends()) {
      INFO(c.rows, " rows, ", c.chosen, " of ", c.experts, " experts");
      Routes got = Route(*backend, c, logits, bias);
      CHECK(got.experts == want.experts);
      ExpectClose({"route", backend, ""}, got.weights, want.weights,
                  [&](std::int64_t t, std::int64_t i) {
                    return 4e-6 * std::fabs(want.weights(t, i)) + 1e-37;
                  });
    }
  }
}

TEST_CASE("of equal choices the lower expert is taken, and experts ascend") {
  Matrix logits(1, 20), bias(1, 20);
  logits.Fill([](std::int64_t, std::int64_t e) {
    return e >= 15 ? 1.0f : e % 2 == 0 ? 0.5f : 0.0f;
  });
  for (const Backend* backend : testing::ShelfBackends()) {
    const Routes got = Route(*backend, {1, 20, 8}, logits, bias);
    CHECK(got.experts == std::vector<std::int32_t>{0, 2, 4, 15, 16, 17, 18, 19});
  }
}

TEST_CASE("a bias decides which experts are chosen, not their weights") {
  Matrix logits(1, 4), bias(1, 4);
  logits.Fill([](std::int64_t, std::int64_t e) { return static_cast<float>(e); });
  bias.Fill([](std::int64_t, std::int64_t e) { return e == 0 ? 5.0f : 0.0f; });
  for (const Backend* backend : testing::ShelfBackends()) {
    Routes got = Route(*backend, {1, 4, 1, RouteScore::kSigmoid, false, true}, logits, bias);
    CHECK(got.experts == std::vector<std::int32_t>{0});
    CHECK(got.weights(0, 0) == doctest::Approx(0.5));
  }
}

TEST_CASE("logits of NaN and infinity choose as many different experts, with weights of NaN") {
  Matrix logits(4, 33), bias(1, 33);
  logits.Fill([](std::int64_t r, std::int64_t e) {
    if (r == 0) return NAN;
    if (r == 1) return e == 32 ? NAN : 1.0f;
    if (r == 2) return -INFINITY;
    return 1.0f;
  });
  for (const Backend* backend : testing::ShelfBackends()) {
    Routes got = Route(*backend, {4, 33, 5}, logits, bias);
    for (std::int64_t r = 0; r < 4; ++r) {
      for (std::int64_t i = 0; i < 5; ++i) {
        const std::int32_t expert = got.experts[static_cast<std::size_t>(r * 5 + i)];
        CHECK((expert >= 0 && expert < 33));
        if (i > 0) CHECK(expert > got.experts[static_cast<std::size_t>(r * 5 + i - 1)]);
        CHECK(std::isnan(got.weights(r, i)) == (r < 3));
      }
    }
  }
}

// A bank of experts, packed by one backend.
struct Bank {
  Bank(const Backend& backend, std::int64_t experts, std::int64_t hidden, std::int64_t inner,
       const WeightForm& form, KernelContext& context)
      : bias(1, hidden), width(inner) {
    std::mt19937 random(testing::Seed(72));
    bias.FillNormal(random);
    for (std::int64_t e = 0; e < experts; ++e) {
      Matrix gate_up(2 * inner, hidden), down(hidden, inner);
      gate_up.FillNormal(random, 0.3f);
      down.FillNormal(random, 0.3f);
      weights.push_back(testing::Pack(backend, gate_up, form, context));
      weights.push_back(testing::Pack(backend, down, form, context));
    }
    for (std::size_t e = 0; e < static_cast<std::size_t>(experts); ++e) {
      of.push_back({.gate_up = &weights[2 * e],
                    .down = &weights[2 * e + 1],
                    .down_bias = e % 2 == 0 ? bias.flat() : tensor::TensorView{}});
    }
  }
  Bank(const Bank&) = delete;

  Matrix bias;
  std::int64_t width;
  std::vector<PackedWeight> weights;
  std::vector<ExpertWeights> of;
};

Matrix RunExperts(const Backend& backend, const Bank& bank, Matrix& x, Routes& routes,
                  bool accumulate, KernelContext& context) {
  const std::int64_t rows = x.rows(), hidden = x.columns();
  Matrix gate_up(rows, 2 * bank.width), inner(rows, bank.width), taken(rows, hidden);
  Matrix y(rows, hidden, 3);
  if (accumulate) y.Fill([](std::int64_t r, std::int64_t c) { return static_cast<float>(r - c); });
  const ExpertMlpArgs args{.x = x.view(),
                           .experts = routes.ExpertView(),
                           .weights = routes.weights.view(),
                           .of = bank.of,
                           .activation = {.x = gate_up.view(), .y = inner.view()},
                           .rows = taken.view(),
                           .y = y.view(),
                           .accumulate = accumulate,
                           .alpha = 0.5f};
  REQUIRE(Check(args) == "");
  backend.table.expert_mlp(backend.table, args, context);
  return y;
}

// Rows that take the experts t, t + 3, ... modulo their number: some experts have many, some none.
Routes SomeRoutes(std::int64_t rows, std::int64_t experts, std::int64_t chosen) {
  Routes routes(rows, chosen);
  for (std::int64_t t = 0; t < rows; ++t) {
    auto* row = routes.experts.data() + t * chosen;
    for (std::int64_t i = 0; i < chosen; ++i) {
      row[i] = static_cast<std::int32_t>((t * t + 3 * i) % (experts - 1));
    }
    std::sort(row, row + chosen);
  }
  routes.weights.Fill(
      [](std::int64_t t, std::int64_t i) { return 0.1f + 0.2f * static_cast<float>((t + i) % 4); });
  return routes;
}

constexpr WeightForm kExpertForms[] = {tensor::DType::kF32, tensor::DType::kBF16,
                                       tensor::DType::kI8};

TEST_CASE("experts give the weighted sum that the reference gives") {
  ThreadPool pool(2);
  KernelContext context(pool);
  std::mt19937 random(testing::Seed(73));
  for (const WeightForm& form : kExpertForms) {
    for (const std::int64_t rows : {0, 1, 7, 40}) {
      Matrix x(rows, 64, 5, 1);
      x.FillNormal(random);
      Routes routes = SomeRoutes(rows, 8, 2);
      const Bank of_reference(RefBackend(), 8, 64, 32, form, context);
      Matrix want = RunExperts(RefBackend(), of_reference, x, routes, rows == 7, context);
      for (const Backend* backend : testing::ProductBackends(form.dtype)) {
        const Bank bank(*backend, 8, 64, 32, form, context);
        Matrix got = RunExperts(*backend, bank, x, routes, rows == 7, context);
        // A rounding of the inner vector to bf16 or int8 may fall the other way.
        const double tolerance = form.dtype == tensor::DType::kF32 ? 2e-5 : 0.1;
        ExpectClose({"expert_mlp", backend, std::to_string(rows) + " rows"}, got, want,
                    [&](std::int64_t, std::int64_t) { return tolerance; });
      }
    }
  }
}

TEST_CASE("a row of experts has the same bits alone and in any batch, on any threads") {
  ThreadPool one(1), three(3);
  KernelContext alone(one), shared(three);
  std::mt19937 random(testing::Seed(74));
  for (const Backend* backend : testing::ShelfBackends()) {
    for (const WeightForm& form : kExpertForms) {
      const Bank bank(*backend, 8, 96, 48, form, alone);
      Matrix x(50, 96);
      x.FillNormal(random);
      Routes routes = SomeRoutes(50, 8, 2);
      Matrix all = RunExperts(*backend, bank, x, routes, false, shared);
      for (const std::int64_t t : {0, 13, 49}) {
        Matrix row(1, 96);
        row.Fill([&](std::int64_t, std::int64_t c) { return x(t, c); });
        Routes route(1, 2);
        for (std::int64_t i = 0; i < 2; ++i) {
          route.experts[static_cast<std::size_t>(i)] =
              routes.experts[static_cast<std::size_t>(2 * t + i)];
          route.weights(0, i) = routes.weights(t, i);
        }
        Matrix got = RunExperts(*backend, bank, row, route, false, alone), want(1, 96, 3);
        want.Fill([&](std::int64_t, std::int64_t c) { return all(t, c); });
        ExpectSameBits({"expert_mlp", backend, "row " + std::to_string(t)}, got, want);
      }
    }
  }
}

TEST_CASE("more experts than there are, and experts of other widths, are refused") {
  Matrix logits(1, 4), bias(1, 4);
  Routes routes(1, 5);
  CHECK(Check(RouteArgs{.logits = logits.view(),
                        .choice_bias = {},
                        .experts = routes.ExpertView(),
                        .weights = routes.weights.view()}) ==
        "route: 5 of 4 experts are chosen, must be at least 1, of at most 1024");
  ThreadPool pool(1);
  KernelContext context(pool);
  const Bank bank(RefBackend(), 2, 8, 4, tensor::DType::kF32, context);
  Matrix x(1, 9), gate_up(1, 8), inner(1, 4);
  Routes one(1, 1);
  CHECK(Check(ExpertMlpArgs{.x = x.view(),
                            .experts = one.ExpertView(),
                            .weights = one.weights.view(),
                            .of = bank.of,
                            .activation = {.x = gate_up.view(), .y = inner.view()},
                            .rows = x.view(),
                            .y = x.view()}) == "expert_mlp: columns of gate_up is 8, must be 9");
}

}  // namespace
}  // namespace sglrun::kernels
