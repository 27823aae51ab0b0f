#include "kernels/logits_process.h"

#include "support.h"

namespace sglrun::kernels {
namespace {

using testing::Matrix;

// One call with lists that a test fills; rows without a list get an empty one.
struct Call {
  explicit Call(std::int64_t rows, std::int64_t width)
      : rows_(static_cast<std::size_t>(rows)), width_(width) {
    count_begin = ban_begin = bias_begin = std::vector<std::int32_t>(rows_ + 1, 0);
    frequency = presence = std::vector<float>(rows_, 0.0f);
    repetition = std::vector<float>(rows_, 1.0f);
    mask_line = std::vector<std::int32_t>(rows_, -1);
    mask_stride = (width + 31) / 32 + 1;
  }

  std::vector<RowStatus> Run(const Backend& backend, Matrix& logits, int threads = 1) {
    ThreadPool pool(threads);
    KernelContext context(pool);
    std::vector<RowStatus> status(rows_, static_cast<RowStatus>(99));
    LogitsProcessArgs args{};
    args.logits = logits.view();
    if (!count_ids.empty()) {
      args.count_begin = count_begin;
      args.count_ids = count_ids;
      args.counts = counts;
      args.frequency_penalty = frequency;
      args.presence_penalty = presence;
      args.repetition_penalty = repetition;
    }
    if (!ban_ids.empty()) {
      args.ban_begin = ban_begin;
      args.ban_ids = ban_ids;
    }
    if (!mask.empty()) {
      args.mask = mask;
      args.mask_stride = mask_stride;
      args.mask_line = mask_line;
    }
    if (!bias_ids.empty()) {
      args.bias_begin = bias_begin;
      args.bias_ids = bias_ids;
      args.bias_values = bias_values;
    }
    args.status = status;
    REQUIRE(Check(args) == "");
    backend.table.logits_process(args, context);
    return status;
  }

  std::size_t rows_;
  std::int64_t width_;
  std::vector<std::int32_t> count_begin, count_ids, counts, ban_begin, ban_ids, bias_begin,
      bias_ids, mask_line;
  std::vector<float> frequency, presence, repetition, bias_values;
  std::vector<std::uint32_t> mask;
  std::int64_t mask_stride;
};

std::vector<const Backend*> AllBackends() {
  std::vector<const Backend*> backends = testing::ShelfBackends();
  backends.push_back(&RefBackend());
  return backends;
}

Matrix OneRow(std::vector<float> values) {
  Matrix row(1, static_cast<std::int64_t>(values.size()));
  row.Fill([&](std::int64_t, std::int64_t c) { return values[static_cast<std::size_t>(c)]; });
  return row;
}

std::vector<float> Values(Matrix& row) {
  std::vector<float> values;
  for (std::int64_t c = 0; c < row.columns(); ++c) values.push_back(row(0, c));
  return values;
}

TEST_CASE("penalties come in the order frequency, presence, repetition") {
  for (const Backend* backend : AllBackends()) {
    Matrix row = OneRow({2, -1, 0.5f, 3});
    Call call(1, 4);
    call.count_begin = {0, 2};
    call.count_ids = {0, 1};
    call.counts = {2, 1};
    call.frequency = {0.5f};
    call.presence = {0.25f};
    call.repetition = {2};
    CHECK(call.Run(*backend, row) == std::vector{RowStatus::kOk});
    CHECK(Values(row) == std::vector<float>{0.375f, -3.5f, 0.5f, 3});
  }
}

TEST_CASE("a token that was never generated keeps its logit whatever the penalties") {
  for (const Backend* backend : AllBackends()) {
    Matrix row = OneRow({1, -1, 2});
    Call call(1, 3);
    call.count_begin = {0, 1};
    call.count_ids = {0};
    call.counts = {1};
    call.repetition = {2};
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{0.5f, -1, 2});
  }
}

TEST_CASE("frequency counts every occurrence, presence counts once, negative values encourage") {
  for (const Backend* backend : AllBackends()) {
    Call call(1, 3);
    call.count_begin = {0, 2};
    call.count_ids = {0, 1};
    call.counts = {2, 1};
    call.frequency = {1};
    Matrix row = OneRow({5, 5, 5});
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{3, 4, 5});
    call.frequency = {0};
    call.presence = {1};
    row = OneRow({5, 5, 5});
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{4, 4, 5});
    call.presence = {-2};
    row = OneRow({5, 5, 5});
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{7, 7, 5});
  }
}

TEST_CASE("a bias forces a token, but never one that the grammar forbids") {
  for (const Backend* backend : AllBackends()) {
    Matrix row = OneRow({1, 2, 3, 0, 4});
    Call call(1, 5);
    call.bias_begin = {0, 1};
    call.bias_ids = {3};
    call.bias_values = {100};
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{1, 2, 3, 100, 4});
    row = OneRow({1, 2, 3, 0, 4});
    call.mask = {0b10111, 0};
    call.mask_line = {0};
    call.Run(*backend, row);
    CHECK(Values(row) == std::vector<float>{1, 2, 3, -INFINITY, 4});
  }
}

TEST_CASE("bans are undone when ban and grammar together leave nothing") {
  for (const Backend* backend : AllBackends()) {
    Matrix row = OneRow({1, 2, 3});
    Call call(1, 3);
    call.ban_begin = {0, 3};
    call.ban_ids = {1, 2, 1};  // named twice
    call.mask = {0b110, 0};
    call.mask_line = {0};
    CHECK(call.Run(*backend, row) == std::vector{RowStatus::kOk});
    CHECK(Values(row) == std::vector<float>{-INFINITY, 2, 3});
    row = OneRow({1, 2, 3});
    call.mask_line = {-1};
    CHECK(call.Run(*backend, row) == std::vector{RowStatus::kOk});
    CHECK(Values(row) == std::vector<float>{1, -INFINITY, -INFINITY});
  }
}

TEST_CASE("a NaN anywhere and a row with nothing left are reported, row by row") {
  for (const Backend* backend : AllBackends()) {
    for (std::int64_t width = 1; width <= 40; ++width) {
      Matrix rows(4, width, 3, 1);
      rows.Fill([](std::int64_t r, std::int64_t) { return r == 2 ? -INFINITY : 1.0f; });
      rows(1, width - 1) = NAN;
      Call call(4, width);
      call.mask = std::vector<std::uint32_t>(static_cast<std::size_t>(call.mask_stride), 0);
      call.mask_line = {-1, -1, -1, 0};
      CHECK(call.Run(*backend, rows, 2) == std::vector{RowStatus::kOk, RowStatus::kNaN,
                                                       RowStatus::kNoneLeft, RowStatus::kNoneLeft});
      CHECK(rows.GuardsIntact());
    }
  }
}

// Everything at once, at random; the arithmetic is float32 on both sides, so bits must be equal.
TEST_CASE("random calls give the bits of the reference") {
  std::mt19937 random(testing::Seed(12));
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 300; ++round) {
    const std::int64_t width = 1 + below(80), rows = below(5);
    Matrix logits(rows, width, 2, below(4));
    logits.FillNormal(random, 4.0f);
    Call call(rows, width);
    const int density = below(4);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      for (std::int32_t t = 0; t < width; ++t) {
        if (below(4) == 0) {
          call.count_ids.push_back(t);
          call.counts.push_back(1 + below(5));
        }
        if (below(4) < density) call.ban_ids.push_back(t);
        if (below(5) == 0) {
          call.bias_ids.push_back(t);
          call.bias_values.push_back(float(below(200) - 100) / 7);
        }
        if (below(30) == 0) logits(r, t) = -INFINITY;
      }
      call.count_begin[row + 1] = static_cast<std::int32_t>(call.count_ids.size());
      call.ban_begin[row + 1] = static_cast<std::int32_t>(call.ban_ids.size());
      call.bias_begin[row + 1] = static_cast<std::int32_t>(call.bias_ids.size());
      call.frequency[row] = float(below(40) - 20) / 10;
      call.presence[row] = float(below(40) - 20) / 10;
      call.repetition[row] = 0.5f + float(below(15)) / 10;
      call.mask_line[row] = below(3) - 1;
    }
    for (std::int64_t i = 0; i < 2 * call.mask_stride; ++i) {
      call.mask.push_back(density == 3 ? random() & random() & random() : random() | random());
    }
    Matrix want = logits;
    const std::vector<RowStatus> status = call.Run(RefBackend(), want);
    for (const Backend* backend : testing::ShelfBackends()) {
      Matrix got = logits;
      CHECK(call.Run(*backend, got, 2) == status);
      ExpectSameBits({"logits_process", backend, "round " + std::to_string(round)}, got, want);
    }
  }
}

}  // namespace
}  // namespace sglrun::kernels
