#include "engine/step_arrays.h"

#include "engine_fixture.h"
#include "fake_tokenizer.h"

namespace sglrun::engine {
namespace {

std::unique_ptr<Sequence> SequenceOf(std::int64_t tokens, std::vector<PageId> pages) {
  static const FakeTokenizer tokenizer = NumberedTokenizer(50);
  std::vector<std::int32_t> prompt(static_cast<std::size_t>(tokens), 7);
  StopRegexes regexes;
  auto stop = StopCriteria::Create(*Request({7}).sampling, 8, {}, tokenizer, prompt, regexes);
  auto sequence = std::make_unique<Sequence>(
      Request(prompt), prompt, Sequence::Limits{.max_new_tokens = 8}, std::move(stop).value());
  sequence->cache.pages = std::move(pages);
  return sequence;
}

TEST_CASE("rows are brought to few sizes") {
  const std::pair<int, int> sizes[] = {{1, 1},   {2, 2},     {3, 4},     {5, 8},
                                       {8, 8},   {9, 16},    {57, 64},   {64, 64},
                                       {65, 80}, {255, 256}, {257, 320}, {1000, 1024}};
  for (const auto& [rows, size] : sizes) CHECK(BucketOf(rows) == size);
}

TEST_CASE("on a device a step of single tokens is filled up, and its tables are widened") {
  const std::int32_t drawn[8] = {};
  StepArrays arrays(8, 99, drawn);
  const auto a = SequenceOf(17, {3, 4}), b = SequenceOf(1, {5}), c = SequenceOf(4, {6});
  const std::vector<PlannedRow> rows = {{a.get(), 16, 1}, {b.get(), 1, 1, 2}, {c.get(), 3, 1}};
  const StepRows step = arrays.Gather(rows);
  const model::ForwardBatch batch = arrays.batch();
  CHECK(batch.repeats);
  CHECK(step.output_count == 4);
  CHECK(batch.block_table_stride == 16);
  CHECK(std::vector(batch.from_drawn.begin(), batch.from_drawn.end()) ==
        std::vector<std::int32_t>{-1, 2, -1, -1});
  CHECK(std::vector(batch.slots.begin(), batch.slots.end()) ==
        std::vector<std::int32_t>{4 * 16, 5 * 16 + 1, 6 * 16 + 3, 99 * 16});
  CHECK(std::vector(batch.kv_len.begin(), batch.kv_len.end()) ==
        std::vector<std::int32_t>{17, 2, 4, 1});
  CHECK(std::vector(batch.query_start.begin(), batch.query_start.end()) ==
        std::vector<std::int32_t>{0, 1, 2, 3, 4});
  CHECK(batch.block_tables[16] == 5);
  CHECK(batch.block_tables[48] == 99);
}

TEST_CASE("other steps stay as they are") {
  const auto a = SequenceOf(17, {3, 4}), b = SequenceOf(5, {5});
  StepArrays on_device(8, 99, nullptr), on_host(8, kNoPage, nullptr);
  const std::vector<PlannedRow> chunk = {{a.get(), 16, 1}, {b.get(), 0, 5}};
  const std::vector<PlannedRow> part = {{a.get(), 15, 1}, {b.get(), 4, 1}};  // a gives no token
  const std::vector<PlannedRow> decode = {{a.get(), 16, 1}, {b.get(), 4, 1}};
  on_device.Gather(chunk);
  CHECK_FALSE(on_device.batch().repeats);
  CHECK(on_device.batch().block_table_stride == 2);
  on_device.Gather(part);
  CHECK_FALSE(on_device.batch().repeats);
  const StepRows step = on_host.Gather(decode);
  CHECK_FALSE(on_host.batch().repeats);
  CHECK(on_host.batch().from_drawn.empty());
  CHECK(step.output_count == 2);
}

}  // namespace
}  // namespace sglrun::engine
