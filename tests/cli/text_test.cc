#include "run/setup.h"

#include <doctest/doctest.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/shortage_advice.h"
#include "console/progress.h"
#include "console/wrap.h"
#include "plan/prefix_estimate.h"

namespace sglrun::cli {
namespace {

TEST_CASE("Wrap breaks at blanks and keeps paragraphs") {
  CHECK_EQ(console::Wrap("aaa bbb ccc", 2, 9), "  aaa bbb\n  ccc\n");
  CHECK_EQ(console::Wrap("one\n\ntwo", 0), "one\n\ntwo\n");
  CHECK_EQ(console::Wrap("averylongword", 2, 6), "  averylongword\n");
  CHECK_EQ(console::Wrap("", 2), "");
}

TEST_CASE("durations read as a clock") {
  CHECK_EQ(console::FormatDuration(0.4), "0:00");
  CHECK_EQ(console::FormatDuration(65), "1:05");
  CHECK_EQ(console::FormatDuration(3723), "1:02:03");
}

TEST_CASE("progress tells share and time left where the input's size is known") {
  const console::ProgressState half{
      .records = 1234, .failed = 2, .output_tokens = 0, .fraction = 0.5};
  CHECK_EQ(console::ProgressText(half, 60, 511.7),
           "1,234 records, 2 failed, 512 tokens/s, 50 %, 1:00 left");
  const console::ProgressState pipe{.records = 3, .failed = 0, .output_tokens = 0, .fraction = -1};
  CHECK_EQ(console::ProgressText(pipe, 60, 10), "3 records, 10 tokens/s");
}

TEST_CASE("what memory is missing for is said together with options that exist") {
  CHECK(AdviceFor(Shortage::kNone).empty());
  for (int i = 1; i <= static_cast<int>(Shortage::kPinned); ++i) {
    const std::string advice(AdviceFor(static_cast<Shortage>(i)));
    CAPTURE(advice);
    CHECK(advice.starts_with("; "));
    int options = 0;
    for (std::size_t at = 0; (at = advice.find("--", at)) != std::string::npos; ++options) {
      at += 2;
      const std::string name = advice.substr(at, advice.find_first_of(" ,)", at) - at);
      CHECK_MESSAGE(std::any_of(OptionTable().begin(), OptionTable().end(),
                                [&](const OptionSpec& option) { return option.name == name; }),
                    name);
    }
    CHECK(options > 0);
  }
}

TEST_CASE("the prefix estimate counts whole pages that were seen before") {
  plan::PrefixEstimate estimate;
  std::vector<std::int32_t> prompt(40, 7);
  CHECK_EQ(estimate.Add(prompt), 0);
  CHECK_EQ(estimate.Add(prompt), 32);
  prompt[20] = 8;  // in the second page
  CHECK_EQ(estimate.Add(prompt), 16);
  prompt[0] = 8;
  CHECK_EQ(estimate.Add(prompt), 0);
}

TEST_CASE("the last token of a prompt is always computed") {
  plan::PrefixEstimate estimate;
  const std::vector<std::int32_t> prompt(16, 7);
  CHECK_EQ(estimate.Add(prompt), 0);
  CHECK_EQ(estimate.Add(prompt), 0);
}

TEST_CASE("each record is in exactly one shard") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    int shards = 0;
    for (std::int64_t index = 0; index < 3; ++index) {
      if (run::Shard{index, 3}.Has(HashBytes(std::to_string(i)))) ++shards;
    }
    CHECK_EQ(shards, 1);
  }
}

}  // namespace
}  // namespace sglrun::cli
