#include "kernels/logprobs.h"

#include <algorithm>

#include "support.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;

struct Result {
  std::vector<float> ask;
  std::vector<std::int32_t> top_ids;
  std::vector<float> top;
};

// Asks every third id of each row, and for the `n` best.
Result Run(const Backend& backend, Matrix& logits, const std::vector<float>& temperature,
           std::int32_t n, const std::vector<std::uint8_t>& active = {}, int threads = 1) {
  ThreadPool pool(threads);
  KernelContext context(pool);
  std::vector<std::int32_t> ask_begin = {0}, ask_ids, top_begin = {0};
  for (std::int64_t r = 0; r < logits.rows(); ++r) {
    for (std::int32_t id = 0; id < logits.columns(); id += 3) ask_ids.push_back(id);
    ask_begin.push_back(static_cast<std::int32_t>(ask_ids.size()));
    top_begin.push_back(top_begin.back() + n);
  }
  Result result;
  result.ask.assign(ask_ids.size(), testing::kTombstone);
  result.top_ids.assign(static_cast<std::size_t>(top_begin.back()), -99);
  result.top.assign(static_cast<std::size_t>(top_begin.back()), testing::kTombstone);
  const LogprobsArgs args{.logits = logits.view(),
                          .temperature = temperature,
                          .active = active,
                          .ask_begin = ask_begin,
                          .ask_ids = ask_ids,
                          .ask_logprobs = result.ask,
                          .top_begin = top_begin,
                          .top_ids = result.top_ids,
                          .top_logprobs = result.top};
  REQUIRE(Check(args) == "");
  backend.table.logprobs(args, context);
  return result;
}

void ExpectClose(const testing::Where& where, const std::vector<float>& got,
                 const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double tolerance = 2e-6 + 0x1p-22 * std::fabs(want[i]);
    if (std::fabs(double{got[i]} - want[i]) <= tolerance) continue;
    FAIL_CHECK(where.ToString() << ": logprob " << i << " is " << got[i] << ", expected " << want[i]
                                << ", " << std::fabs(double{got[i]} - want[i]) / tolerance
                                << " of the tolerance");
    return;
  }
}

TEST_CASE("logprobs agree with the reference at every width, and so do the best tokens") {
  std::mt19937 random(testing::Seed(21));
  for (std::int64_t width = 1; width <= 70; ++width) {
    Matrix logits(3, width, 2, 1);
    logits.FillNormal(random, 5.0f);
    const std::vector<float> temperature = {1.0f, 0.3f, 2.5f};
    for (const std::int32_t n :
         {0, 1, static_cast<std::int32_t>((width + 1) / 2), static_cast<std::int32_t>(width)}) {
      const Result want = Run(RefBackend(), logits, temperature, n);
      for (const Backend* backend : testing::ShelfBackends()) {
        const Result got = Run(*backend, logits, temperature, n, {}, 2);
        const testing::Where where{"logprobs", backend, "width " + std::to_string(width)};
        CHECK(got.top_ids == want.top_ids);
        ExpectClose(where, got.ask, want.ask);
        ExpectClose(where, got.top, want.top);
      }
    }
  }
}

TEST_CASE("wide rows, with ties, zeros of both signs, equal terms and -inf") {
  std::mt19937 random(testing::Seed(22));
  const std::int64_t width = 20011;
  std::vector<std::function<float(std::int64_t)>> shapes = {
      [&](std::int64_t) { return std::normal_distribution<float>(0, 3)(random); },
      [](std::int64_t t) { return t == 777 ? 1.1f : 0.0f; },  // all terms round the same way
      [](std::int64_t) { return 0.0f; },
      [](std::int64_t t) { return t % 2 == 0 ? 0.0f : -0.0f; },
      [&](std::int64_t) { return float(random() % 7); },
      [](std::int64_t t) { return t == 5 ? 2.0f : -INFINITY; },
      [](std::int64_t) { return -INFINITY; },
      [](std::int64_t t) { return t == 19000 ? 3e38f : -3e38f; },
  };
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    Matrix logits(1, width);
    logits.Fill([&](std::int64_t, std::int64_t t) { return shapes[s](t); });
    for (const std::int32_t n : {1, 20, 500, 20011}) {
      if (testing::SkippedHere(1)) continue;
      const Result want = Run(RefBackend(), logits, {1.0f}, n);
      for (const Backend* backend : testing::ShelfBackends()) {
        const Result got = Run(*backend, logits, {1.0f}, n);
        const testing::Where where{"logprobs", backend, "shape " + std::to_string(s)};
        CHECK(got.top_ids == want.top_ids);
        ExpectClose(where, got.ask, want.ask);
        ExpectClose(where, got.top, want.top);
      }
    }
  }
}

TEST_CASE("an inactive row is left alone") {
  for (const Backend* backend : testing::ShelfBackends()) {
    Matrix logits(2, 4);
    logits.Fill([](std::int64_t, std::int64_t c) { return float(c); });
    const Result got = Run(*backend, logits, {1, 1}, 2, {0, 1});
    CHECK(got.top_ids == std::vector<std::int32_t>{-99, -99, 3, 2});
    CHECK(got.ask[0] == testing::kTombstone);
    CHECK(got.ask[2] != testing::kTombstone);
  }
}

TEST_CASE("a row has the same bits alone and in a batch") {
  std::mt19937 random(testing::Seed(23));
  Matrix batch(9, 1000), alone(1, 1000);
  batch.FillNormal(random, 4.0f);
  alone.Fill([&](std::int64_t, std::int64_t c) { return batch(5, c); });
  for (const Backend* backend : testing::ShelfBackends()) {
    const Result many = Run(*backend, batch, std::vector<float>(9, 0.7f), 5, {}, 3);
    const Result one = Run(*backend, alone, {0.7f}, 5);
    for (std::size_t i = 0; i < one.ask.size(); ++i) {
      REQUIRE(testing::SameBits(one.ask[i], many.ask[5 * one.ask.size() + i]));
    }
  }
}

TEST_CASE("the probabilities of a whole row sum to one") {
  std::mt19937 random(testing::Seed(24));
  Matrix logits(1, 300);
  logits.FillNormal(random, 3.0f);
  for (const Backend* backend : testing::ShelfBackends()) {
    double sum = 0;
    for (const float logprob : Run(*backend, logits, {2.0f}, 300).top) sum += std::exp(logprob);
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace sglrun::kernels
