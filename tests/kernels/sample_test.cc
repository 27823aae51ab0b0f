#include "kernels/sample.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "kernels/common/exp2_exact.h"
#include "kernels/common/random.h"
#include "kernels/common/sample_limits.h"
#include "support.h"
#include "tests/rounds.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;

struct Settings {
  float temperature = 1.0f;
  std::int32_t top_k = 1 << 30;
  double top_p = 1.0;
  double min_p = 0.0;
  std::vector<std::uint32_t> sampleable = {};
};

// One draw for each of `random` from the same row.
std::vector<std::int32_t> Draw(const Backend& backend, std::span<const float> row,
                               const Settings& settings, const std::vector<std::uint64_t>& random,
                               int threads = 1) {
  ThreadPool pool(threads);
  KernelContext context(pool);
  const std::size_t rows = random.size();
  Matrix logits(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(row.size()), 1, 1);
  logits.Fill([&](std::int64_t, std::int64_t c) { return row[static_cast<std::size_t>(c)]; });
  const std::vector<float> temperature(rows, settings.temperature);
  const std::vector<std::int32_t> top_k(rows, settings.top_k);
  const std::vector<double> top_p(rows, settings.top_p), min_p(rows, settings.min_p);
  std::vector<std::int32_t> tokens(rows, -99);
  const SampleArgs args{.logits = logits.view(),
                        .temperature = temperature,
                        .top_k = top_k,
                        .top_p = top_p,
                        .min_p = min_p,
                        .random = random,
                        .sampleable = settings.sampleable,
                        .active = {},
                        .tokens = tokens};
  REQUIRE(Check(args) == "");
  backend.table.sample(args, context);
  return tokens;
}

// Draws at the ends of each kept token's interval: together they tell the whole kept set, its order
// and its weights. The expected tokens come from a set found by sorting, written here from the
// contract alone.
struct Probe {
  std::vector<std::uint64_t> random;
  std::vector<std::int32_t> tokens;
};

std::uint64_t RandomFor(std::uint64_t draw, std::uint64_t mass) {
  // Smallest r with floor(r * mass / 2^64) == draw.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(((Wide{draw} << 64) + mass - 1) / mass);
}

Probe ExpectedDraws(std::span<const float> row, const Settings& settings) {
  float max = -INFINITY;
  const auto allowed = [&](std::size_t t) {
    return settings.sampleable.empty() || ((settings.sampleable[t / 32] >> (t % 32)) & 1u) != 0;
  };
  for (std::size_t t = 0; t < row.size(); ++t) {
    if (allowed(t)) max = std::max(max, row[t]);
  }
  std::vector<std::pair<std::uint32_t, std::int32_t>> ranked;  // weight, id
  std::uint64_t total = 0;
  for (std::size_t t = 0; t < row.size(); ++t) {
    if (!allowed(t)) continue;
    const std::uint32_t weight =
        Exp2Exact(Exponent(row[t], max, ExponentScale(settings.temperature)));
    ranked.emplace_back(weight, static_cast<std::int32_t>(t));
    total += weight;
  }
  const auto logit = [&row](const auto& token) {
    return row[static_cast<std::size_t>(token.second)];
  };
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : logit(a) > logit(b);
  });
  const long double limit =
      settings.top_p * static_cast<long double>(total) + static_cast<long double>(total) / 1048576;
  std::map<std::int32_t, std::uint32_t> kept;  // in id order
  std::uint64_t before = 0;
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    if (rank >= static_cast<std::size_t>(settings.top_k) || before > limit ||
        ranked[rank].first < std::floor(settings.min_p * 0x1p31) || ranked[rank].first == 0) {
      break;
    }
    kept[ranked[rank].second] = ranked[rank].first;
    before += ranked[rank].first;
  }
  Probe probe;
  std::uint64_t sum = 0;
  for (const auto& [id, weight] : kept) {
    probe.random.push_back(RandomFor(sum, before));
    probe.tokens.push_back(id);
    sum += weight;
    probe.random.push_back(RandomFor(sum - 1, before));
    probe.tokens.push_back(id);
  }
  return probe;
}

std::vector<const Backend*> AllBackends() {
  std::vector<const Backend*> backends = testing::ShelfBackends();
  backends.push_back(&RefBackend());
  return backends;
}

std::string Describe(const Settings& settings, std::size_t width) {
  return "width " + std::to_string(width) + " T " + std::to_string(settings.temperature) +
         " top_k " + std::to_string(settings.top_k) + " top_p " + std::to_string(settings.top_p) +
         " min_p " + std::to_string(settings.min_p);
}

void ExpectExact(const Backend& backend, std::span<const float> row, const Settings& settings) {
  const Probe probe = ExpectedDraws(row, settings);
  if (settings.top_k == 1) return;
  if (Draw(backend, row, settings, probe.random) == probe.tokens) return;
  FAIL_CHECK(testing::Where{"sample", &backend, Describe(settings, row.size())}.ToString());
}

TEST_CASE(
    "weights: the best is 2^31, a factor of two is exact, beyond 31 halvings nothing is left") {
  CHECK(Exp2Exact(0.0f) == 0x80000000u);
  CHECK(Exp2Exact(-1.0f) == 0x40000000u);
  CHECK(Exp2Exact(-31.0f) == 1);
  CHECK(Exp2Exact(-31.5f) == 0);
  CHECK(Exp2Exact(-INFINITY) == 0);
  std::mt19937 random(testing::Seed(30));
  std::uniform_real_distribution<float> exponent(-31.0f, 0.0f);
  for (int i = 0; i < 100000; ++i) {
    const float x = exponent(random);
    const double exact = std::exp2(double{x}) * 0x1p31;
    REQUIRE(std::fabs(Exp2Exact(x) - exact) <= 1 + exact * 2e-7);
    REQUIRE(Exp2Exact(x) <= 0x80000000u);
  }
}

TEST_CASE("every logits vector of a small world is sampled as sorting would, on every backend") {
  const float alphabet[] = {0.0f, -0.6931472f, -1.5f, -INFINITY};
  for (std::size_t width = 1; width <= 4; ++width) {
    std::size_t worlds = 1;
    for (std::size_t i = 0; i < width; ++i) worlds *= 4;
    for (std::size_t world = 0; world < worlds; ++world) {
      std::vector<float> row;
      for (std::size_t rest = world; row.size() < width; rest /= 4)
        row.push_back(alphabet[rest % 4]);
      if (*std::max_element(row.begin(), row.end()) == -INFINITY) continue;
      for (std::int32_t top_k = 1; top_k <= 5; ++top_k) {
        for (const double top_p : {1e-9, 0.25, 0.5, 0.75, 0.9, 1.0}) {
          for (const double min_p : {0.0, 0.3, 0.5, 1.0}) {
            if (testing::SkippedHere(97)) continue;
            for (const Backend* backend : AllBackends()) {
              ExpectExact(*backend, row, {1.0f, top_k, top_p, min_p, {}});
            }
          }
        }
      }
    }
  }
}

TEST_CASE("random rows, with ties and excluded tokens, are sampled as sorting would") {
  std::mt19937 random(testing::Seed(31));
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<const Backend*> backends = AllBackends();
  for (int round = 0; round < Rounds(3000); ++round) {
    const int width = round % 50 == 0 ? 1000 + below(4000) : 1 + below(100);
    const int levels = below(3) == 0 ? 2 + below(6) : 0;
    const float sigma = 0.01f + float(below(80)) / 10;
    std::normal_distribution<float> normal(0, sigma);
    std::vector<float> row(static_cast<std::size_t>(width));
    for (float& z : row) {
      z = levels > 0 ? float(below(levels)) : normal(random);
      if (below(20) == 0) z = -INFINITY;
    }
    row[static_cast<std::size_t>(below(width))] = 1.0f;
    Settings settings{0.2f + float(below(20)) / 10, 1 << 30, 1.0, 0.0, {}};
    if (below(2) == 0) settings.top_k = 2 + below(width + 3);
    if (below(2) == 0) settings.top_p = (1 + below(1000)) / 1000.0;
    if (below(3) == 0) settings.min_p = below(1000) / 1000.0;
    if (below(3) == 0) {
      for (int i = 0; i < (width + 31) / 32; ++i) settings.sampleable.push_back(random() | 1);
      row[0] = 0.5f;  // one token at least may be picked
    }
    // A thousand probes of a wide row are enough of it for the reference's sorting.
    const Probe probe = ExpectedDraws(row, settings);
    if (probe.random.size() > 600 && (testing::ShelfCost() > 0 || round % 50 != 0)) continue;
    if (testing::SkippedHere(67)) continue;
    ExpectExact(*backends[static_cast<std::size_t>(round) % backends.size()], row, settings);
    if (width < 200) {
      for (const Backend* backend : backends) ExpectExact(*backend, row, settings);
    }
  }
}

TEST_CASE("wide rows give the same token on every instruction set") {
  std::mt19937_64 random(32);
  for (int round = 0; round < 12; ++round) {
    if (testing::SkippedHere(1)) continue;
    std::vector<float> row(49152);
    std::normal_distribution<float> normal(0, round < 6 ? 3.0f : 0.3f);
    for (float& z : row) z = normal(random);
    Settings settings{0.9f,
                      round % 3 == 0 ? 40 : 1 << 30,
                      round % 2 == 0 ? 0.95 : 1.0,
                      round % 4 == 1 ? 0.02 : 0.0,
                      {}};
    std::vector<std::uint64_t> bits(4);
    for (auto& b : bits) b = random();
    const std::vector<std::int32_t> want = Draw(RefBackend(), row, settings, bits);
    for (const Backend* backend : testing::ShelfBackends()) {
      CHECK_MESSAGE(Draw(*backend, row, settings, bits, 2) == want,
                    testing::Where{"sample", backend, Describe(settings, row.size())}.ToString());
    }
  }
}

TEST_CASE("greedy rows take the highest logit, ties to the lowest id, excluded tokens never") {
  for (const Backend* backend : AllBackends()) {
    for (std::size_t width = 1; width <= 70; ++width) {
      std::vector<float> row(width, -1.0f);
      row[width - 1] = 2.0f;
      row[width / 2] = 2.0f;
      Settings settings{1.0f, 1, 1.0, 0.0, {}};
      CHECK(Draw(*backend, row, settings, {7}).front() == static_cast<std::int32_t>(width / 2));
      settings.sampleable.assign((width + 31) / 32, 0xFFFFFFFFu);
      settings.sampleable[width / 2 / 32] &= ~(1u << (width / 2 % 32));
      const std::int32_t want = width / 2 != width - 1 ? static_cast<std::int32_t>(width - 1)
                                : width > 1            ? 0
                                                       : -1;
      CHECK(Draw(*backend, row, settings, {7}).front() == want);
    }
  }
}

TEST_CASE("a row from which nothing can be picked gives -1") {
  for (const Backend* backend : AllBackends()) {
    const std::vector<float> row(40, -INFINITY);
    CHECK(Draw(*backend, row, {}, {1}).front() == -1);
    CHECK(Draw(*backend, row, {1.0f, 1, 1.0, 0.0, {}}, {1}).front() == -1);
    const std::vector<float> excluded(20, 0.0f);
    CHECK(Draw(*backend, excluded, {1.0f, 5, 1.0, 0.0, {0}}, {1}).front() == -1);
  }
}

TEST_CASE("an infinite logit, a tiny temperature and a huge one are sampled without a NaN") {
  for (const Backend* backend : AllBackends()) {
    const std::vector<float> infinite = {1.0f, INFINITY, 2.0f, INFINITY};
    CHECK(Draw(*backend, infinite, {}, {0, ~std::uint64_t{0}}) == std::vector<std::int32_t>{1, 3});
    const std::vector<float> row = {1.0f, 1.5f, 1.5f, 0.0f};
    CHECK(Draw(*backend, row, {1e-38f, 1 << 30, 1.0, 0.0, {}}, {0, ~std::uint64_t{0}}) ==
          std::vector<std::int32_t>{1, 2});
    CHECK(Draw(*backend, row, {3e38f, 1 << 30, 1.0, 0.0, {}}, {0, ~std::uint64_t{0}}) ==
          std::vector<std::int32_t>{0, 3});
  }
}

TEST_CASE("a temperature that makes all weights equal leaves the order of the tokens") {
  std::mt19937 random(testing::Seed(5));
  std::uniform_int_distribution<int> step(-40, 40);
  for (const std::size_t width : {20u, 700u, 5000u}) {
    std::vector<float> row(width);
    for (float& z : row) z = static_cast<float>(step(random)) / 4;
    std::vector<float> best = row;
    std::ranges::sort(best, std::greater<>());
    for (const float temperature : {1e6f, 1e12f, 3.4028234e38f}) {
      for (const auto& [top_k, top_p] : {std::pair(7, 1.0), std::pair(1 << 30, 0.01)}) {
        const Settings settings{temperature, top_k, top_p, 0.0, {}};
        const Probe probe = ExpectedDraws(row, settings);
        for (const std::int32_t token : probe.tokens) {
          CHECK(row[static_cast<std::size_t>(token)] >= best[probe.tokens.size() / 2 - 1]);
        }
        if (testing::SkippedHere(7)) continue;
        for (const Backend* backend : AllBackends()) ExpectExact(*backend, row, settings);
      }
    }
  }
}

TEST_CASE("an inactive row is left alone") {
  for (const Backend* backend : AllBackends()) {
    ThreadPool pool(1);
    KernelContext context(pool);
    Matrix logits(2, 3);
    logits.Fill([](std::int64_t, std::int64_t c) { return float(c); });
    const std::vector<float> temperature = {1, 1};
    const std::vector<std::int32_t> top_k = {1, 1};
    const std::vector<double> top_p = {1, 1}, min_p = {0, 0};
    const std::vector<std::uint64_t> random = {0, 0};
    const std::vector<std::uint8_t> active = {0, 1};
    std::vector<std::int32_t> tokens = {-99, -99};
    backend->table.sample({.logits = logits.view(),
                           .temperature = temperature,
                           .top_k = top_k,
                           .top_p = top_p,
                           .min_p = min_p,
                           .random = random,
                           .sampleable = {},
                           .active = active,
                           .tokens = tokens},
                          context);
    CHECK(tokens == std::vector<std::int32_t>{-99, 2});
  }
}

const std::vector<double> kExample = {0.35, 0.25, 0.2, 0.05, 0.03, 0.03, 0.03, 0.03, 0.03};

std::vector<float> LogitsOf(const std::vector<double>& probabilities) {
  std::vector<float> row;
  for (const double p : probabilities) row.push_back(static_cast<float>(std::log(p)));
  return row;
}

TEST_CASE("top_k and top_p are joint, a preceding mass equal to top_p keeps the token") {
  const std::vector<float> row = LogitsOf(kExample);
  const auto kept = [&](std::int32_t top_k, double top_p, double min_p) {
    return KeptSet(row, 1.0f, top_k, top_p, min_p, {}).size();
  };
  CHECK(kept(4, 0.82, 0) == 4);
  CHECK(kept(100, 0.6, 0) == 3);
  CHECK(kept(100, 0.599, 0) == 2);
  CHECK(kept(100, 1.0, 0.15) == 3);
  CHECK(kept(100, 1.0, 0) == 9);
  CHECK(kept(100, 1e-9, 0) == 1);
}

TEST_CASE("the kept set is in rank order and its shares sum to one; a greedy row keeps one token") {
  const std::vector<float> row = LogitsOf({0.1, 0.4, 0.4, 0.1});
  const std::vector<KeptToken> kept = KeptSet(row, 1.0f, 3, 1.0, 0.0, {});
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].id == 1);
  CHECK(kept[1].id == 2);
  CHECK(kept[2].id == 0);
  CHECK(kept[0].logprob == doctest::Approx(std::log(0.4 / 0.9)));
  const std::vector<KeptToken> greedy = KeptSet(row, 1.0f, 1, 1.0, 0.0, {});
  REQUIRE(greedy.size() == 1);
  CHECK(greedy[0].id == 1);
  CHECK(greedy[0].logprob == 0.0f);
}

TEST_CASE("thousands of draws stay in the kept set and follow its shares") {
  const std::vector<float> row = LogitsOf(kExample);
  const Settings settings{1.0f, 4, 0.82, 0.0, {}};
  const std::uint32_t draws = testing::ShelfCost() > 0 ? 300 : 10000;
  std::vector<std::uint64_t> random;
  for (std::uint32_t i = 0; i < draws; ++i) random.push_back(RandomBits(42, 0, i));
  const double mass = 0.35 + 0.25 + 0.2 + 0.05;
  for (const Backend* backend : AllBackends()) {
    std::vector<int> count(kExample.size(), 0);
    for (const std::int32_t token : Draw(*backend, row, settings, random)) {
      ++count[static_cast<std::size_t>(token)];
    }
    double chi_square = 0;
    for (std::size_t t = 0; t < count.size(); ++t) {
      const double share = t < 4 ? kExample[t] / mass : 0;
      if (t >= 4) {
        CHECK(count[t] == 0);
        continue;
      }
      const double expected = draws * share, sigma = std::sqrt(expected * (1 - share));
      CHECK(std::fabs(count[t] - expected) < 3 * sigma);
      chi_square += (count[t] - expected) * (count[t] - expected) / expected;
    }
    CHECK(chi_square < 16.27);  // 3 degrees of freedom, one in a thousand
  }
}

TEST_CASE("random bits are Philox4x32-10") {
  // The first two words of the published known answers (Random123, kat_vectors): counter and key 0.
  CHECK(RandomBits(0, 0, 0) == ((std::uint64_t{0xe169c58du} << 32) | 0x6627e8d5u));
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) seen.insert(RandomBits(5, i % 10, i / 10));
  CHECK(seen.size() == 1000);
}

}  // namespace
}  // namespace sglrun::kernels
