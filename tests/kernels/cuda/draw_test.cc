// A draw on the simulated device against the reference's, and work that is replayed as a graph.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/backend.h"
#include "kernels/cuda/backend.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/sim/stream.h"
#include "tensor/buffer.h"

#include <doctest/doctest.h>

namespace sglrun::kernels {
namespace {

using tensor::Buffer;

constexpr std::size_t kRows = 12, kWidth = 70;

// The arrays of a draw with everything: penalties, bans, masks, bias, and logprobs of some rows.
struct Everything {
  // `counted`: tokens that the penalties of a row are for.
  explicit Everything(unsigned seed, std::int32_t counted = 4) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 3);
    logits.resize(kRows * kWidth);
    for (float& z : logits) z = normal(random);
    logits[2 * kWidth + 5] = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::int32_t id = 0; id < counted; ++id) {
        count_ids.push_back(static_cast<std::int32_t>(random() % 4) + 4 * id);
        counts.push_back(1 + static_cast<std::int32_t>(random() % 3));
      }
      count_begin.push_back(static_cast<std::int32_t>(count_ids.size()));
      frequency.push_back(0.5f);
      presence.push_back(r % 2 == 0 ? 0.25f : 0.0f);
      repetition.push_back(1.3f);
      if (r % 3 == 0) ban_ids.push_back(7);
      ban_begin.push_back(static_cast<std::int32_t>(ban_ids.size()));
      mask_line.push_back(r % 4 == 1 ? static_cast<std::int32_t>(r / 4) : -1);
      if (r % 5 == 4) {
        bias_ids.push_back(9);
        bias_values.push_back(20.0f);
      }
      bias_begin.push_back(static_cast<std::int32_t>(bias_ids.size()));
      temperature.push_back(0.7f + 0.1f * static_cast<float>(r));
      top_k.push_back(r % 4 == 0 ? 1 : 30);
      top_p.push_back(0.95);
      min_p.push_back(r % 3 == 1 ? 0.02 : 0.0);
      bits.push_back((std::uint64_t{random()} << 32) | random());
      sampled.push_back(r == 3 ? 0 : 1);
      chosen.push_back(r % 2 == 0 && r != 3);
      told.push_back(r % 2 == 0 || r == 3);
      if (chosen.back() != 0) ask_ids.push_back(0);
      if (r == 3) ask_ids.push_back(11);
      ask_begin.push_back(static_cast<std::int32_t>(ask_ids.size()));
      top_begin.push_back(top_begin.back() + (told.back() != 0 ? 3 : 0));
    }
    // Row 9 may only draw a token that does not exist.
    mask.assign(9, 0x55555555u);
    for (std::size_t word = 0; word < 3; ++word) mask[6 + word] = 0;
    mask[6 + 2] = 1u << 5;
    sampleable = {~0u, ~0u, 0x1fu};
    status.resize(kRows);
    tokens.resize(kRows);
    ask_logprobs.assign(ask_ids.size(), 0.0f);
    top_ids.assign(static_cast<std::size_t>(top_begin.back()), 0);
    top_logprobs.assign(top_ids.size(), 0.0f);
  }

  DrawArgs Args(float* in_backend, std::int32_t* kept_tokens) {
    DrawArgs args;
    args.process = {.logits = tensor::MakeView(
                        in_backend, tensor::DType::kF32,
                        {static_cast<std::int64_t>(kRows), static_cast<std::int64_t>(kWidth)}),
                    .count_begin = count_begin,
                    .count_ids = count_ids,
                    .counts = counts,
                    .frequency_penalty = frequency,
                    .presence_penalty = presence,
                    .repetition_penalty = repetition,
                    .ban_begin = ban_begin,
                    .ban_ids = ban_ids,
                    .mask = mask,
                    .mask_stride = 3,
                    .mask_line = mask_line,
                    .bias_begin = bias_begin,
                    .bias_ids = bias_ids,
                    .bias_values = bias_values,
                    .status = status};
    args.sample = {.logits = {},
                   .temperature = temperature,
                   .top_k = top_k,
                   .top_p = top_p,
                   .min_p = min_p,
                   .random = bits,
                   .sampleable = sampleable,
                   .active = {},
                   .tokens = {}};
    args.logprobs = {.logits = {},
                     .temperature = temperature,
                     .active = {},
                     .ask_begin = ask_begin,
                     .ask_ids = {},
                     .ask_logprobs = ask_logprobs,
                     .top_begin = top_begin,
                     .top_ids = top_ids,
                     .top_logprobs = top_logprobs};
    args.sampled = sampled;
    args.tokens = tokens;
    args.kept_tokens = kept_tokens;
    args.told = told;
    args.chosen = chosen;
    args.ask_ids = ask_ids;
    return args;
  }

  // Results of rows that are not sound are undefined.
  void ClearUntold() {
    for (std::size_t r = 0; r < kRows; ++r) {
      if (status[r] == RowStatus::kOk) continue;
      std::fill(ask_logprobs.begin() + ask_begin[r], ask_logprobs.begin() + ask_begin[r + 1], 0.0f);
      std::fill(top_ids.begin() + top_begin[r], top_ids.begin() + top_begin[r + 1], 0);
      std::fill(top_logprobs.begin() + top_begin[r], top_logprobs.begin() + top_begin[r + 1], 0.0f);
    }
  }

  std::vector<float> logits, frequency, presence, repetition, bias_values, temperature;
  std::vector<std::int32_t> count_begin = {0}, count_ids, counts, ban_begin = {0}, ban_ids;
  std::vector<std::int32_t> mask_line, bias_begin = {0}, bias_ids, top_k, tokens;
  std::vector<std::uint32_t> mask, sampleable;
  std::vector<double> top_p, min_p;
  std::vector<std::uint64_t> bits;
  std::vector<std::uint8_t> sampled, told, chosen;
  std::vector<RowStatus> status;
  std::vector<std::int32_t> ask_begin = {0}, ask_ids, top_begin = {0}, top_ids;
  std::vector<float> ask_logprobs, top_logprobs;
};

// A simulated device and a context for it.
struct Simulated {
  Simulated() : device(OpenSimBackend().value()), context(pool) {
    context.set_device(device->backend().device);
  }
  const KernelTable& table() const { return device->backend().table; }
  template <class T>
  Buffer Place(const std::vector<T>& values) {
    Buffer buffer(*device->backend().allocator, values.size() * sizeof(T));
    table().upload(buffer.data(), values.data(), values.size() * sizeof(T), context);
    return buffer;
  }
  template <class T>
  std::vector<T> Read(const Buffer& buffer, std::size_t size) {
    std::vector<T> values(size);
    table().download(values.data(), buffer.data(), size * sizeof(T), context);
    return values;
  }

  std::unique_ptr<DeviceBackend> device;
  ThreadPool pool{1};
  KernelContext context;
};

TEST_CASE("a draw on the device is the reference's, row by row, in twenty orders of the streams") {
  ThreadPool pool(1);
  KernelContext host(pool);
  Simulated sim;
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    sim::SetStreamSeed(seed);
    Everything expected(seed), drawn(seed);
    const KernelTable& reference = RefBackend().table;
    reference.draw(reference, expected.Args(expected.logits.data(), nullptr), host);

    const Buffer logits = sim.Place(drawn.logits);
    const Buffer kept = sim.Place(std::vector<std::int32_t>(kRows, -7));
    sim.table().draw(sim.table(), drawn.Args(logits.as<float>(), kept.as<std::int32_t>()),
                     sim.context);
    sim.table().finish_draw(sim.context);
    const auto kept_tokens = sim.Read<std::int32_t>(kept, kRows);

    CHECK(expected.status[2] == RowStatus::kNaN);
    CHECK(expected.status[9] == RowStatus::kNoneLeft);
    for (std::size_t r = 0; r < kRows; ++r) {
      CAPTURE(r);
      CHECK(drawn.status[r] == expected.status[r]);
      CHECK(drawn.tokens[r] == expected.tokens[r]);
      CHECK(kept_tokens[r] == std::max(expected.tokens[r], 0));
      if (expected.told[r] == 0 || expected.status[r] != RowStatus::kOk) continue;
      for (auto i = static_cast<std::size_t>(expected.ask_begin[r]);
           i < static_cast<std::size_t>(expected.ask_begin[r + 1]); ++i) {
        CHECK(drawn.ask_logprobs[i] == doctest::Approx(expected.ask_logprobs[i]).epsilon(1e-5));
      }
      for (auto i = static_cast<std::size_t>(expected.top_begin[r]);
           i < static_cast<std::size_t>(expected.top_begin[r + 1]); ++i) {
        CHECK(drawn.top_ids[i] == expected.top_ids[i]);
        CHECK(drawn.top_logprobs[i] == doctest::Approx(expected.top_logprobs[i]).epsilon(1e-5));
      }
    }
  }
}

// The head of a draw: row r of the logits is row picked[r] of `states`.
struct Picking {
  Picking(const Everything& of, Simulated& the_sim) : sim(the_sim) {
    for (std::size_t r = 0; r < kRows; ++r) {
      picked.push_back(static_cast<std::int32_t>((r + of.counts.size()) % kRows));
    }
    std::vector<float> rows(of.logits.size());
    for (std::size_t r = 0; r < kRows; ++r) {
      std::copy_n(of.logits.begin() + static_cast<std::ptrdiff_t>(r * kWidth), kWidth,
                  rows.begin() + static_cast<std::ptrdiff_t>(kWidth) * picked[r]);
    }
    states = std::move(rows);
  }

  Simulated& sim;
  std::vector<std::int32_t> picked;
  std::vector<float> states;
};

TEST_CASE("a replayed draw has the same bits as one that is launched directly") {
  Simulated sim;
  const auto& state = static_cast<const cuda::DeviceState&>(*sim.device->backend().device);
  const Buffer states = sim.Place(std::vector<float>(kRows * kWidth));
  const Buffer logits = sim.Place(std::vector<float>(kRows * kWidth));
  const Buffer kept = sim.Place(std::vector<std::int32_t>(kRows));
  const auto matrix = [](const Buffer& buffer) {
    return tensor::MakeView(buffer.data(), tensor::DType::kF32,
                            {static_cast<std::int64_t>(kRows), static_cast<std::int64_t>(kWidth)});
  };
  const HeadWork head = [&](std::span<const std::int32_t> picked) {
    sim.table().gather_rows({.in = matrix(states), .rows = picked, .out = matrix(logits)},
                            sim.context);
  };
  const std::array<std::uint64_t, 1> key = {7};
  const std::vector<std::int32_t> kept_rows = {1, 4, 5};
  // Lists grow and shrink; every third time no row has logprobs, the last time a row is kept.
  const std::int32_t counted[] = {2, 3, 2, 3, 16, 2, 15, 16, 1, 4};
  unsigned seed = 0;
  for (const std::int32_t tokens : counted) {
    CAPTURE(seed);
    sim::SetStreamSeed(seed);
    Everything once(seed, tokens), again(seed, tokens);
    Picking picking(once, sim);
    std::vector<float> once_kept(kept_rows.size() * kWidth), again_kept = once_kept;
    const auto draw = [&](Everything& rows, std::vector<float>& kept_logits, bool comes_again) {
      sim.table().upload(states.data(), picking.states.data(), states.bytes(), sim.context);
      DrawArgs args = rows.Args(logits.as<float>(), kept.as<std::int32_t>());
      args.head = &head;
      args.picked = picking.picked;
      if (comes_again) args.key = key;
      if (seed % 3 == 2) args.told = {}, args.chosen = {};
      args.kept_rows = kept_rows;
      args.kept_logits = kept_logits;
      REQUIRE(Check(args) == "");
      sim.table().draw(sim.table(), args, sim.context);
      sim.table().finish_draw(sim.context);
      return sim.Read<std::int32_t>(kept, kRows);
    };
    CHECK(draw(once, once_kept, false) == draw(again, again_kept, true));
    once.ClearUntold();
    again.ClearUntold();
    CHECK(once.tokens == again.tokens);
    CHECK(once.status == again.status);
    CHECK(once.ask_logprobs == again.ask_logprobs);
    CHECK(once.top_ids == again.top_ids);
    CHECK(once.top_logprobs == again.top_logprobs);
    CHECK(std::memcmp(once_kept.data(), again_kept.data(), once_kept.size() * 4) == 0);
    CHECK(once.status[2] == RowStatus::kNaN);
    ++seed;
  }
  // All but the first of those with logprobs and of those without.
  CHECK(state.recorder().replays() == 8);
}

// ids[i] = drawn[from[i]], as work that comes again.
struct Feeding {
  explicit Feeding(Simulated& the_sim)
      : sim(the_sim), drawn(sim.Place(std::vector<std::int32_t>{70, 71, 72, 73})) {}

  std::vector<std::int32_t> Run(std::vector<std::int32_t> ids, std::vector<std::int32_t> from) {
    const std::array<std::uint64_t, 1> key = {ids.size()};
    std::array<StagedArray, 2> arrays = {
        {{ids.data(), ids.size() * 4}, {from.data(), from.size() * 4}}};
    const std::function<void()> work = [&] {
      ++calls;
      auto* there = const_cast<std::int32_t*>(static_cast<const std::int32_t*>(arrays[0].data));
      sim.table().feed_drawn(
          {.ids = {there, ids.size()},
           .from = {static_cast<const std::int32_t*>(arrays[1].data), from.size()},
           .drawn = drawn.as<std::int32_t>()},
          sim.context);
    };
    sim.table().repeat({.key = key, .arrays = arrays, .work = &work}, sim.context);
    std::vector<std::int32_t> fed(ids.size());
    sim.table().download(fed.data(), arrays[0].data, fed.size() * 4, sim.context);
    return fed;
  }

  Simulated& sim;
  Buffer drawn;
  int calls = 0;
};

TEST_CASE("repeated work is replayed with new values until device memory is released") {
  Simulated sim;
  Feeding feeding(sim);
  using Ids = std::vector<std::int32_t>;
  CHECK(feeding.Run({1, 2, 3}, {-1, 0, 3}) == Ids{1, 70, 73});
  CHECK(feeding.calls == 1);
  CHECK(feeding.Run({4, 5, 6}, {2, -1, -1}) == Ids{72, 5, 6});
  CHECK(feeding.calls == 2);  // while it was captured
  CHECK(feeding.Run({7, 8, 9}, {-1, -1, 1}) == Ids{7, 8, 71});
  CHECK(feeding.Run({1, 8}, {-1, 1}) == Ids{1, 71});  // another size, another graph
  CHECK(feeding.Run({7, 8, 9}, {1, 1, -1}) == Ids{71, 71, 9});
  CHECK(feeding.calls == 3);
  feeding.drawn = sim.Place(Ids{80, 81});
  CHECK(feeding.Run({7, 8, 9}, {1, 0, -1}) == Ids{81, 80, 9});
  CHECK(feeding.calls == 4);
}

}  // namespace
}  // namespace sglrun::kernels
