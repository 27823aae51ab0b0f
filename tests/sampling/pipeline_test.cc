// The pipeline on small vocabularies, by hand: penalties, bans, masks, bias, filters, draws.
#include "sampling/logits_pipeline.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "kernels/common/random.h"

namespace sglrun::sampling {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

struct Row {
  SamplingParams params;
  std::vector<float> logits;
  std::map<std::int32_t, std::int32_t> counts = {};
  std::vector<std::int32_t> banned = {};
  std::vector<std::int32_t> asked = {};
  std::int32_t top = 0;
  std::uint64_t random = 0;
  std::int32_t grammar_line = -1;
  float logprob_temperature = 1.0f;
  bool kept_set = false;
  RowAction action = RowAction::kSample;
};

SamplingParams Greedy() {
  SamplingParams params;
  params.top_k = 1;
  return params;
}

// Runs rows of one width through the pipeline of a backend and keeps what came out.
struct Pipeline {
  explicit Pipeline(const kernels::Backend& backend = kernels::RefBackend(),
                    std::vector<std::uint32_t> sampleable = {})
      : pipeline(backend, std::move(sampleable)) {}

  const SampledTokens& Run(const std::vector<Row>& rows, const GrammarMask& mask = {}) {
    const std::size_t width = rows[0].logits.size();
    logits.clear();
    std::vector<std::vector<std::int32_t>> ids(rows.size()), counts(rows.size());
    batch.Clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Row& row = rows[r];
      logits.insert(logits.end(), row.logits.begin(), row.logits.end());
      for (const auto& [id, count] : row.counts) {
        ids[r].push_back(id);
        counts[r].push_back(count);
      }
      batch.Add({.params = &row.params,
                 .action = row.action,
                 .random = row.random,
                 .count_ids = ids[r],
                 .counts = counts[r],
                 .banned = row.banned,
                 .bias = row.params.logit_bias,
                 .grammar_line = row.grammar_line,
                 .chosen_logprob = true,
                 .logprob_temperature = row.logprob_temperature,
                 .top_logprobs = row.top,
                 .asked_ids = row.asked,
                 .kept_set = row.kept_set});
    }
    return pipeline.Run(batch,
                        tensor::MakeView(logits.data(), tensor::DType::kF32,
                                         {static_cast<std::int64_t>(rows.size()),
                                          static_cast<std::int64_t>(width)}),
                        mask, context);
  }

  ThreadPool pool{1};
  kernels::KernelContext context{pool};
  SamplingBatch batch;
  std::vector<float> logits;  // what the rows became
  LogitsPipeline pipeline;
};

std::vector<const kernels::Backend*> Backends() {
  return {&kernels::RefBackend(), kernels::CpuBackend().value()};
}

std::vector<float> Logs(std::vector<float> probabilities) {
  for (float& p : probabilities) p = std::log(p);
  return probabilities;
}

TEST_CASE("the hottest temperature flattens the row and leaves order and mask") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline pipeline(*backend);
    Row row{.params = {}, .logits = {1, 5, -2, 9, 4}, .banned = {1}, .asked = {1}, .top = 5};
    row.params.temperature = 1e308;
    row.params.top_k = 2;
    row.logprob_temperature = TemperatureOf(row.params);
    row.kept_set = true;
    for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      row.random = random;
      const SampledTokens& sampled = pipeline.Run({row});
      const RowLogprobs logprobs = sampled.Logprobs(0);
      CHECK(sampled.tokens[0] == (random == 0 ? 3 : 4));
      CHECK(std::vector<std::int32_t>(logprobs.top_ids.begin(), logprobs.top_ids.end()) ==
            std::vector<std::int32_t>{3, 4, 0, 2, 1});
      for (std::size_t i = 0; i < 4; ++i) CHECK(logprobs.top[i] == doctest::Approx(std::log(0.25)));
      CHECK(logprobs.top[4] == kLowest);
      CHECK(logprobs.asked[0] == kLowest);
      REQUIRE(sampled.kept[0].size() == 2);
      CHECK(sampled.kept[0][0].id == 3);
      CHECK(sampled.kept[0][1].id == 4);
    }
  }
}

TEST_CASE("the worked example of penalties gives its four logits") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline pipeline(*backend);
    Row row{.params = Greedy(), .logits = {2, -1, 0.5, 3}, .counts = {{0, 2}, {1, 1}}};
    row.params.frequency_penalty = 0.5;
    row.params.presence_penalty = 0.25;
    row.params.repetition_penalty = 2.0;
    CHECK(pipeline.Run({row}).tokens[0] == 3);
    CHECK(pipeline.logits == std::vector<float>{0.375, -3.5, 0.5, 3});
  }
}

TEST_CASE("a penalty without generated tokens changes nothing") {
  Pipeline pipeline;
  Row row{.params = Greedy(), .logits = {2, -1, 0.5, 3, 0}};
  row.params.repetition_penalty = 2.0;
  pipeline.Run({row});
  CHECK(pipeline.logits == row.logits);
}

TEST_CASE("frequency counts every occurrence, presence counts once, negative ones raise") {
  Pipeline pipeline;
  Row frequency{.params = Greedy(), .logits = {1, 1, 1, 1, 1}, .counts = {{0, 2}, {1, 1}}};
  Row presence = frequency, raise = frequency;
  frequency.params.frequency_penalty = 1.0;
  presence.params.presence_penalty = 1.0;
  raise.params.frequency_penalty = -2.0;
  pipeline.Run({frequency, presence, raise});
  CHECK(pipeline.logits == std::vector<float>{-1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 5, 3, 1, 1, 1});
}

TEST_CASE("a bias forces a token, but never one that the grammar forbids") {
  Pipeline pipeline;
  Row forced{.params = Greedy(), .logits = {5, 4, 3, 2, 1}};
  forced.params.logit_bias = {{3, 100.0f}};
  Row forbidden = forced;
  forbidden.grammar_line = 0;
  const std::vector<std::uint32_t> words = {0b10111};
  const auto& out = pipeline.Run({forced, forbidden}, {.words = words, .words_per_line = 1});
  CHECK(out.tokens == std::vector<std::int32_t>{3, 0});
  CHECK(std::isinf(pipeline.logits[5 + 3]));
}

TEST_CASE("banned tokens are not drawn, unless nothing else is left") {
  Pipeline pipeline;
  Row banned{.params = Greedy(), .logits = {5, 4, 3, 2, 1}, .banned = {0, 1}};
  Row only = banned;
  only.grammar_line = 0;
  const std::vector<std::uint32_t> words = {0b00010};
  const auto& out = pipeline.Run({banned, only}, {.words = words, .words_per_line = 1});
  CHECK(out.tokens == std::vector<std::int32_t>{2, 1});
}

TEST_CASE("a row without an allowed token and a row with NaN are told apart and hurt no other") {
  Pipeline pipeline;
  Row good{.params = Greedy(), .logits = {1, 2, 3, 4, 5}};
  Row none = good, nan = good;
  none.grammar_line = 0;
  nan.logits[2] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::uint32_t> words = {0};
  const auto& out = pipeline.Run({none, good, nan}, {.words = words, .words_per_line = 1});
  CHECK(out.status[0] == kernels::RowStatus::kNoneLeft);
  CHECK(out.status[1] == kernels::RowStatus::kOk);
  CHECK(out.status[2] == kernels::RowStatus::kNaN);
  CHECK(out.tokens == std::vector<std::int32_t>{-1, 4, -1});
}

TEST_CASE("columns without a token are never drawn, yet logprobs count them") {
  Pipeline pipeline(kernels::RefBackend(), {0b00111});
  Row row{.params = Greedy(), .logits = {0, 0, 0, 50, 50}};
  Row only_padding = row;
  only_padding.logits = {-INFINITY, -INFINITY, -INFINITY, 1, 1};
  const auto& out = pipeline.Run({row, only_padding});
  CHECK(out.tokens == std::vector<std::int32_t>{0, -1});
  CHECK(*out.Logprobs(0).chosen == doctest::Approx(-50 - std::log(2.0)));
  CHECK(out.status[1] == kernels::RowStatus::kNoneLeft);
}

const std::vector<float> kEight = {.35f, .25f, .2f, .05f, .03f, .03f, .03f, .03f, .03f};

std::size_t Kept(const SamplingParams& params) {
  Pipeline pipeline;
  Row row{.params = params, .logits = Logs(kEight), .kept_set = true};
  return pipeline.Run({row}).kept[0].size();
}

TEST_CASE("top_k, top_p and min_p keep the set of the joint rule") {
  SamplingParams params;
  params.top_k = 4;
  params.top_p = 0.82;
  CHECK(Kept(params) == 4);
  params = {};
  params.top_p = 0.6;
  CHECK(Kept(params) == 3);
  params.top_p = 0.599;
  CHECK(Kept(params) == 2);
  params = {};
  params.min_p = 0.15;
  CHECK(Kept(params) == 3);
}

TEST_CASE("draws stay inside the kept set and have its renormalised frequencies") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline pipeline(*backend);
    Row row{.params = {}, .logits = Logs(kEight)};
    row.params.top_p = 0.6;
    const int draws = 10'000;
    std::vector<int> seen(kEight.size(), 0);
    for (int first = 0; first < draws; first += 500) {
      std::vector<Row> rows(500, row);
      for (int i = 0; i < 500; ++i) {
        rows[static_cast<std::size_t>(i)].random =
            kernels::RandomBits(7, 0, static_cast<std::uint32_t>(first + i));
      }
      for (const std::int32_t token : pipeline.Run(rows).tokens) {
        ++seen[static_cast<std::size_t>(token)];
      }
    }
    for (std::size_t t = 0; t < kEight.size(); ++t) {
      const double p = t < 3 ? kEight[t] / 0.8 : 0.0;
      CHECK(std::abs(seen[t] - draws * p) <= 3 * std::sqrt(draws * p * (1 - p)));
    }
  }
}

TEST_CASE("a row's draw is the same alone and among 64 rows with other parameters") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline alone(*backend), together(*backend);
    std::vector<Row> rows;
    for (int i = 0; i < 64; ++i) {
      Row row{.params = {}, .logits = {}, .counts = {{i % 37, 1 + i % 3}}, .top = i % 4};
      for (int t = 0; t < 37; ++t) row.logits.push_back(std::sin(static_cast<float>(i * 37 + t)));
      row.params.temperature = 0.5 + 0.1 * (i % 9);
      row.params.min_p = i % 2 == 0 ? 0.1 : 0.0;
      row.params.top_k = i % 5 == 0 ? 1 : (i % 5 == 1 ? 7 : kTopKAll);
      row.params.frequency_penalty = i % 3 == 0 ? 0.7 : 0.0;
      if (i % 7 == 0) row.params.logit_bias = {{3, 2.0f}};
      row.random = kernels::RandomBits(static_cast<std::uint64_t>(i), 0, 11);
      if (i % 4 == 0) row.grammar_line = 0;
      row.logprob_temperature = static_cast<float>(row.params.temperature);
      rows.push_back(row);
    }
    const std::vector<std::uint32_t> words = {0xF0F0F0F0u, 0xFFu};
    const GrammarMask mask{.words = words, .words_per_line = 2};
    const SampledTokens all = together.Run(rows, mask);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const SampledTokens& one = alone.Run({rows[r]}, mask);
      CHECK(one.tokens[0] == all.tokens[r]);
      CHECK(*one.Logprobs(0).chosen == *all.Logprobs(static_cast<std::int64_t>(r)).chosen);
      const auto top = all.Logprobs(static_cast<std::int64_t>(r)).top;
      CHECK(std::vector(one.top_logprobs) == std::vector<float>(top.begin(), top.end()));
    }
  }
}

TEST_CASE("reported logprobs are softmax(z / T) over the whole row, whatever is filtered") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline pipeline(*backend);
    const std::vector<float> z = {1, 2, 0.5, -1, 3};
    Row sampled{.params = {}, .logits = z, .top = 5, .logprob_temperature = 2.0f};
    sampled.params.temperature = 2.0;
    Row original = sampled, filtered = sampled;
    original.logprob_temperature = 1.0f;
    filtered.params.top_p = 0.1;
    const SampledTokens& out = pipeline.Run({sampled, original, filtered});
    for (std::int64_t r = 0; r < 3; ++r) {
      const double t = r == 1 ? 1.0 : 2.0;
      double total = 0, sum = 0;
      for (const float value : z) total += std::exp(value / t);
      const RowLogprobs logprobs = out.Logprobs(r);
      for (std::size_t i = 0; i < 5; ++i) {
        const auto id = static_cast<std::size_t>(logprobs.top_ids[i]);
        CHECK(logprobs.top[i] == doctest::Approx(z[id] / t - std::log(total)).epsilon(1e-5));
        sum += std::exp(logprobs.top[i]);
      }
      CHECK(sum == doctest::Approx(1.0).epsilon(1e-5));
    }
    CHECK(out.tokens[2] == 4);
    CHECK(*out.Logprobs(2).chosen == out.Logprobs(2).top[0]);
  }
}

TEST_CASE("masked tokens are listed at the lowest float") {
  for (const kernels::Backend* backend : Backends()) {
    Pipeline pipeline(*backend);
    Row row{.params = Greedy(), .logits = {5, 4, 3, 2, 1}, .asked = {0}, .top = 5};
    row.grammar_line = 0;
    const std::vector<std::uint32_t> words = {0b11000};
    const auto& out = pipeline.Run({row}, {.words = words, .words_per_line = 1});
    const RowLogprobs logprobs = out.Logprobs(0);
    CHECK(std::vector(logprobs.top_ids.begin(), logprobs.top_ids.end()) ==
          std::vector<std::int32_t>{3, 4, 0, 1, 2});
    for (std::size_t i = 2; i < 5; ++i) CHECK(logprobs.top[i] == kLowest);
    CHECK(logprobs.asked[0] == kLowest);
  }
}

TEST_CASE("a scored row has logprobs and no token") {
  Pipeline pipeline;
  Row row{.params = Greedy(), .logits = {0, 0, 0, 0}, .asked = {2, 2, 1}, .top = 2};
  row.action = RowAction::kScore;
  const auto& out = pipeline.Run({row});
  CHECK(out.tokens[0] == -1);
  CHECK_FALSE(out.Logprobs(0).chosen.has_value());
  CHECK(out.Logprobs(0).asked.size() == 3);
  CHECK(out.Logprobs(0).top_ids[0] == 0);
  CHECK(out.Logprobs(0).top[0] == doctest::Approx(std::log(0.25)));
}

}  // namespace
}  // namespace sglrun::sampling
