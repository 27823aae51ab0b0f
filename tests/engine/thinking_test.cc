// require_reasoning and custom_params.thinking_budget: the constraint begins after the thoughts.
// docs/constraints.md describes both.
#include "engine/thinking.h"

#include "grammar_fixture.h"
#include "result_text.h"

namespace sglrun::engine {
namespace {

constexpr ConstraintKind kRegex = ConstraintKind::kRegex;

// <tag> ends the thinking.
EngineOptions EndsAtTag() {
  EngineOptions options;
  options.reasoning_end = "<tag>";
  return options;
}

GenerateRequest Thinking(std::string regex, std::optional<std::int64_t> budget,
                         const std::function<void(SamplingParams&)>& change = {}) {
  GenerateRequest request = Constrained(kRegex, std::move(regex), [&](SamplingParams& p) {
    p.thinking_budget = budget;
    if (change) change(p);
  });
  request.require_reasoning = true;
  return request;
}

TEST_CASE("the end of the thinking is found wherever it begins") {
  engine::Thinking thinking({1, 1, 2}, std::nullopt);
  for (const std::int32_t token : {5, 1, 1, 1}) {
    thinking.Take(token);
    CHECK_FALSE(thinking.over());
    CHECK(thinking.forced() == -1);
  }
  thinking.Take(2);
  CHECK(thinking.over());
  CHECK(thinking.taken() == 5);
}

TEST_CASE("a budget forces the end, from where it stands") {
  engine::Thinking none({7, 8}, 0);
  CHECK(none.forced() == 7);
  none.Take(7);
  CHECK(none.forced() == 8);
  none.Take(8);
  CHECK(none.over());
  CHECK(none.forced() == -1);

  engine::Thinking begun({7, 8}, 2);
  begun.Take(3);
  CHECK(begun.forced() == -1);
  begun.Take(7);
  CHECK(begun.forced() == 8);
}

TEST_CASE("the constraint begins behind the end of the thinking") {
  // The model says q until something else is forced on it.
  Subject s({{Letters().Find("q").value(), 3}, {kTag, 4}}, EndsAtTag());
  const auto result = RunOne(*s.engine, Thinking("France", std::nullopt));
  CHECK(result.output_ids.front() == kTag);
  CHECK(result.text == "France");
  CHECK(result.grammar->complete);
  CHECK(EndsAtEos(result));
  // The same record without thinking, with all else equal.
  GenerateRequest plain = Thinking("France", std::nullopt);
  plain.require_reasoning = false;
  CHECK(RunOne(*s.engine, plain).output_ids.front() == s.Id("F"));
}

TEST_CASE("a budget bounds the thoughts, and the end of the thinking follows") {
  Subject s({{Letters().Find("q").value(), 3}}, EndsAtTag());
  for (const std::int64_t budget : {0, 1, 5}) {
    for (const bool logprobs : {false, true}) {
      GenerateRequest request = Thinking("a(b|c)", budget);
      request.return_logprob = logprobs;
      const auto result = RunOne(*s.engine, std::move(request));
      CHECK(result.text == std::string(static_cast<std::size_t>(budget), 'q') + "ab");
      CHECK(result.output_ids[static_cast<std::size_t>(budget)] == kTag);
      CHECK(result.grammar->complete);
      CHECK(EndsAtEos(result));
      if (logprobs)
        CHECK(result.logprobs->output_token_logprobs.size() == result.output_ids.size());
    }
  }
}

TEST_CASE("thoughts that never end leave the record without an answer, not in error") {
  Subject s({{Letters().Find("q").value(), 3}}, EndsAtTag());
  const auto result =
      RunOne(*s.engine, Thinking("France", std::nullopt, [](auto& p) { p.max_new_tokens = 5; }));
  CHECK(result.text == "qqqqq");
  CHECK_FALSE(result.grammar->complete);
  Subject ends({{kEos, 3}}, EndsAtTag());
  const auto ended = RunOne(*ends.engine, Thinking("France", std::nullopt));
  CHECK(ended.output_ids == std::vector<std::int32_t>{kEos});
  CHECK_FALSE(ended.grammar->complete);
}

TEST_CASE("a stop string cuts the answer, which may be a member nevertheless") {
  Subject s({{Letters().Find("q").value(), 3}}, EndsAtTag());
  const auto cut = RunOne(*s.engine, Thinking("abc|ab", 2, [](auto& p) { p.stop = {"c"}; }));
  CHECK(cut.text == "qqab");
  CHECK(cut.grammar->complete);
  const auto in_thoughts =
      RunOne(*s.engine, Thinking("abc|ab", 9, [](auto& p) { p.stop = {"qqq"}; }));
  CHECK(in_thoughts.text.empty());
  CHECK_FALSE(in_thoughts.grammar->complete);
}

TEST_CASE("an end of several tokens is matched as such, and without any the record is refused") {
  EngineOptions options;
  options.reasoning_end = "France!";
  Subject s({{Letters().Find("q").value(), 3}}, options);
  const auto result = RunOne(*s.engine, Thinking("[ab]", 1));
  CHECK(result.text == "qFrance!a");
  options.reasoning_end = "\xC3\xA9";
  Subject none({}, options);
  const auto refused = none.engine->Admit(Thinking("[ab]", 1));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().param == "require_reasoning");
  CHECK(refused.error().message.find("--reasoning-end") != std::string::npos);
}

TEST_CASE("forced text jumps forward behind the thoughts alone") {
  EngineOptions options = EndsAtTag();
  Subject plain({{Letters().Find("q").value(), 3}}, options);
  options.jump_forward = true;
  Subject jumping({{Letters().Find("q").value(), 3}}, options);
  const auto request = [] {
    GenerateRequest r = Thinking("it is (ten|none) of those", 3);
    r.return_logprob = true;
    return r;
  };
  const auto a = RunOne(*plain.engine, request());
  const auto b = RunOne(*jumping.engine, request());
  CHECK(ResultText(a) == ResultText(b));
  CHECK(b.text == "qqqit is none of those");
  CHECK(jumping.engine->stats().steps < plain.engine->stats().steps);
}

}  // namespace
}  // namespace sglrun::engine
