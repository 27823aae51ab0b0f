#include "report/collector.h"

#include <doctest/doctest.h>

#include <numeric>

#include "base/utf8.h"
#include "report/account.h"
#include "report/course.h"
#include "report/html_page.h"
#include "report/html_text.h"
#include "report/text_report.h"

namespace sglrun::report {
namespace {

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

GenerateResult ResultOf(double seconds, std::int64_t prompt, std::size_t output) {
  GenerateResult result;
  result.rid = "a<b";
  result.e2e_latency = seconds;
  result.prompt_tokens = prompt;
  result.output_ids.assign(output, 7);
  return result;
}

TEST_CASE("results collected separately count like results added one by one") {
  RunCollector one_by_one, apart;
  ResultTally first, second;
  for (int i = 1; i <= 40; ++i) {
    const GenerateResult result = ResultOf(i % 7 + 0.001 * i, i * 3, static_cast<std::size_t>(i));
    one_by_one.AddResult({"in.jsonl", i, "a"}, result);
    (i % 2 == 0 ? first : second).Add({"in.jsonl", i, "a"}, result);
  }
  apart.AddResults(ResultTally());
  apart.AddResults(first);
  apart.AddResults(second);
  CHECK(ToJson(apart.Finish()).Dump() == ToJson(one_by_one.Finish()).Dump());
}

Account ExampleAccount() {
  RunCollector collector;
  engine::EngineStats stats;
  stats.steps = 1;
  stats.step_rows = 3;
  stats.output_tokens = 30;
  collector.AddStep(0.5, stats);
  collector.AddResult({"in.jsonl", 1, "a<b"}, ResultOf(0.25, 9, 30));
  collector.AddError({"in.jsonl", 2, "\x1b[31m"}, {.message = "<script>alert('&')</script>"});
  Account account;
  account.state = "finished";
  account.records = 2;
  account.failed = 1;
  account.model = "a \"model\"";
  account.options = {{"sampling", Json::Object{{"temperature", 0.5}}}, {"limit", nullptr}};
  account.data = collector.Finish();
  return account;
}

TEST_CASE("a timeline keeps every sum while its slices grow") {
  TimelineRecorder recorder;
  double now = 0;
  for (int step = 1; step <= 5000; ++step) {
    now += 0.001 * (step % 7 + 1);
    recorder.Add(now, {.output_tokens = 2, .prompt_tokens = 1, .rows = 4});
  }
  const Timeline& timeline = recorder.timeline();
  CHECK_LE(timeline.output_tokens.size(), TimelineRecorder::kSlices);
  CHECK_GT(timeline.output_tokens.size(), TimelineRecorder::kSlices / 2);
  CHECK_EQ(timeline.prompt_tokens.size(), timeline.output_tokens.size());
  CHECK_EQ(Sum(timeline.output_tokens), doctest::Approx(10000));
  CHECK_EQ(Sum(timeline.prompt_tokens), doctest::Approx(5000));
  CHECK_EQ(Sum(timeline.row_seconds), doctest::Approx(4 * now));
  CHECK_EQ(timeline.end_s, doctest::Approx(now));
}

TEST_CASE("a step of an hour joins an odd number of slices without a loss") {
  TimelineRecorder recorder;
  recorder.Add(0.025, {.output_tokens = 3, .prompt_tokens = 3, .rows = 1});
  recorder.Add(3600, {.output_tokens = 1, .prompt_tokens = 0, .rows = 1});
  CHECK_LE(recorder.timeline().output_tokens.size(), TimelineRecorder::kSlices);
  CHECK_EQ(Sum(recorder.timeline().output_tokens), doctest::Approx(4));
  CHECK_EQ(Sum(recorder.timeline().prompt_tokens), doctest::Approx(3));
}

TEST_CASE("a step longer than a slice is spread over those it touches") {
  TimelineRecorder recorder;
  recorder.Add(0.005, {.output_tokens = 1, .prompt_tokens = 0, .rows = 1});
  recorder.Add(0.045, {.output_tokens = 40, .prompt_tokens = 0, .rows = 1});
  const std::vector<double>& tokens = recorder.timeline().output_tokens;
  REQUIRE_EQ(tokens.size(), 5u);
  CHECK_EQ(tokens[0], doctest::Approx(1 + 5));
  CHECK_EQ(tokens[2], doctest::Approx(10));
  CHECK_EQ(tokens[4], doctest::Approx(5));
  const std::vector<Curve> curves = Curves(recorder.timeline());
  CHECK_EQ(curves[0].values[4], doctest::Approx(1000));  // the last slice is half as long
}

TEST_CASE("lengths are counted in bins that touch each other") {
  LengthCounter counter;
  for (const std::int64_t length : {0, 1, 5, 6, 7, 8, 11, 12, 100000}) counter.Add(length);
  const Lengths lengths = counter.Finish();
  CHECK_EQ(lengths.count, 9);
  CHECK_EQ(lengths.sum, 100050);
  CHECK_EQ(lengths.max, 100000);
  std::int64_t counted = 0;
  for (std::size_t i = 0; i < lengths.bins.size(); ++i) {
    counted += lengths.bins[i].count;
    if (i > 0) CHECK_EQ(lengths.bins[i].from, lengths.bins[i - 1].to + 1);
  }
  CHECK_EQ(counted, 9);
  CHECK_EQ(BinText(lengths.bins[5]), "6-7");
  CHECK_EQ(lengths.bins[5].count, 2);
  CHECK_GE(lengths.bins.back().to, 100000);
}

TEST_CASE("a collector keeps a bounded number of errors and slow results") {
  RunCollector collector;
  for (int i = 0; i < 1000; ++i) {
    collector.AddResult({"in", i, ""}, ResultOf(i % 100, 1, 1));
    collector.AddError({"in", i, ""},
                       {.message = "m", .param = "input_ids[" + std::to_string(i) + "]"});
    collector.AddError({"in", i, ""},
                       {.message = std::string(5000, 'x'), .param = "p" + std::to_string(i)});
  }
  const RunData data = collector.Finish();
  REQUIRE_EQ(data.slowest.size(), RunCollector::kSlowest);
  CHECK_EQ(data.slowest.front().seconds, 99);
  CHECK_EQ(data.slowest.back().seconds, 99);
  CHECK_EQ(data.slowest.front().place, "in:99");
  REQUIRE_EQ(data.errors.size(), RunCollector::kErrorKinds);
  CHECK_EQ(data.errors[0].param, "input_ids[]");
  CHECK_EQ(data.errors[0].count, 1000);
  CHECK_EQ(data.errors[0].first.size(), RunCollector::kRecordsOfAKind);
  CHECK_EQ(data.other_errors, 1000 - static_cast<std::int64_t>(RunCollector::kErrorKinds - 1));
  CHECK_LT(ToJson(data).Dump().size(), 100000u);
}

TEST_CASE("a message that is cut is cut between characters") {
  RunCollector collector;
  std::string message;
  for (int i = 0; i < 400; ++i) message += "é";
  collector.AddError({"in", 1, ""}, {.message = "x" + message});
  const std::string kept = collector.Finish().errors[0].first[0].message;
  CHECK(IsValidUtf8(kept));
  CHECK_LT(kept.size(), 510u);
}

TEST_CASE("a text cannot inject markup or escape sequences") {
  CHECK_EQ(Html("\u202e\u2066"), "\\u{202E}\\u{2066}");
  CHECK_EQ(Html("<a href='x'>\"&\x01"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\\u{1}");
}

TEST_CASE("a page shows text of records without interpreting it as markup") {
  const std::string page = HtmlPage(ExampleAccount());
  CHECK_NE(page.find("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"), std::string::npos);
  CHECK_NE(page.find("a&lt;b"), std::string::npos);
  CHECK_NE(page.find("\\u{1B}[31m"), std::string::npos);
  CHECK_EQ(page.find("<script"), std::string::npos);
  CHECK_EQ(page.find("http"), page.find("http-equiv"));
  CHECK_EQ(page.find("http", page.find("http-equiv") + 1), std::string::npos);
  CHECK_EQ(page.find('\x1b'), std::string::npos);
}

TEST_CASE("a text report fits into narrow terminals and escapes text of records") {
  for (const std::size_t columns : {20u, 40u, 80u}) {
    const std::string text = TextReport(ExampleAccount(), columns);
    CHECK_EQ(text.find('\x1b'), std::string::npos);
    CHECK_NE(text.find("temperature"), std::string::npos);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      CHECK_MESSAGE(CountCodePoints(line) <= columns, line);
      at = end + 1;
    }
  }
}

TEST_CASE("a run tells how it ended, or that it has not") {
  Account account;
  const auto outcome = [&](const char* state, int exit_code) {
    account.state = state;
    account.exit_code = exit_code;
    return Outcome(account);
  };
  const std::string again = "; the same command continues";
  CHECK_EQ(outcome("running", 0), "not finished: it is still running, or was killed" + again);
  CHECK_EQ(outcome("finished", 0), "finished");
  CHECK(IsGood(account));
  CHECK_EQ(outcome("stopped", 130), "interrupted" + again);
  CHECK_EQ(outcome("stopped", 143), "terminated" + again);
  CHECK_EQ(outcome("stopped", 141), "stopped, because the reader of its output closed it" + again);
  CHECK_EQ(outcome("stopped", 1), "stopped, 0 failed (--max-errors)" + again);
  CHECK_EQ(outcome("failed", 2), "could not continue" + again);
  CHECK_FALSE(IsGood(account));
}

TEST_CASE("a setting that was not given is not shown as 0") {
  CHECK_EQ(SettingText(nullptr), "not set");
  CHECK_EQ(SettingText(std::int64_t{0}), "0");
  CHECK_NE(TextReport(ExampleAccount(), 80).find("limit                      not set"),
           std::string::npos);
}

TEST_CASE("a run without time, results and errors has a page and a text") {
  const Account account;
  CHECK_NE(HtmlPage(account).find("Nothing was computed."), std::string::npos);
  CHECK_NE(TextReport(account, 80).find("Errors: none"), std::string::npos);
}

TEST_CASE("an invalid run file is refused with the name of the invalid member") {
  const auto refusal = [](const char* text) {
    const Result<Account> account = ReadAccount(ParseJson(text)->value);
    return account.ok() ? std::string() : account.error().message;
  };
  CHECK_EQ(refusal("[]"), "it is an array, not the object of a run");
  CHECK_EQ(refusal("{}"), "report is missing");
  CHECK_EQ(refusal(R"({"counts":{}})"), "it has no report: an earlier version of sglrun wrote it");
  CHECK_EQ(refusal(R"({"report":{"timeline":{"slice_s":-1}}})"),
           "report.timeline.slice_s is -1, must be a number from 0 to 1e15");
  CHECK_EQ(refusal(R"({"report":{"timeline":{"slice_s":1,"end_s":1,"output_tokens":[1,"x"]}}})"),
           "report.timeline.output_tokens[1] is \"x\", must be a number from 0 to 1e15");
}

TEST_CASE("axes end a little above the highest value") {
  CHECK_EQ(RoundAbove(64), 80);
  CHECK_EQ(RoundAbove(100), 100);
  CHECK_EQ(RoundAbove(28537), doctest::Approx(30000));
  CHECK_EQ(RoundAbove(0.012), doctest::Approx(0.015));
  CHECK_EQ(RoundAbove(9.5), 10);
  CHECK_EQ(RoundAbove(0), 1);
}

}  // namespace
}  // namespace sglrun::report
