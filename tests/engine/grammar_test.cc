// Constraints in the engine: which texts come out, when they end, what the result says
// (docs/constraints.md, "What holds for all of them").
#include <algorithm>
#include <set>

#include "grammar_fixture.h"
#include "result_text.h"

namespace sglrun::engine {
namespace {

TEST_CASE("a regex text matches fully and ends at EOS") {
  Subject s;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GenerateResult result =
        RunOne(*s.engine, Sampled(Constrained(ConstraintKind::kRegex, "(France|England)"), seed));
    CAPTURE(result.text);
    CHECK((result.text == "France" || result.text == "England"));
    CHECK(EndsAtEos(result));
    REQUIRE(result.grammar.has_value());
    CHECK(result.grammar->complete);
    CHECK_FALSE(result.grammar->forced_end);
  }
}

TEST_CASE("the model's likeliest allowed token is taken") {
  Subject s(Logits{{kTag, 9}});  // special: never text
  const auto result = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "[x-z]{3}"));
  CHECK(result.text == "xxx");
}

TEST_CASE("a schema's text is whole, or the result says that it is not") {
  // Without a liking of its own the model takes the lowest id, a blank, wherever one may stand.
  Subject s(Logits{{Letters().Find(" ").value(), -9}, {Letters().Find("\n").value(), -9}});
  const std::string schema =
      R"({"type":"object","properties":{"a":{"type":"boolean"},"b":{"const":12}},)"
      R"("required":["a","b"]})";
  const auto whole = RunOne(*s.engine, Constrained(ConstraintKind::kJsonSchema, schema));
  CAPTURE(whole.text);
  CHECK(EndsAtEos(whole));
  CHECK(whole.text.find("\"b\"") != std::string::npos);
  CHECK(whole.grammar->complete);
  const auto part = RunOne(*s.engine, Constrained(ConstraintKind::kJsonSchema, schema,
                                                  [](auto& p) { p.max_new_tokens = 3; }));
  CHECK(part.finish_reason.kind == FinishReason::Kind::kLength);
  CHECK_FALSE(part.grammar->complete);
}

TEST_CASE("any JSON may be an array, and bad JSON is a record error that names the parameter") {
  Subject s(Logits{{Letters().Find("[").value(), 5}, {Letters().Find("]").value(), 6}});
  CHECK(RunOne(*s.engine, Constrained(ConstraintKind::kJsonSchema, "$$ANY$$")).text == "[]");
  const auto bad = RunOne(*s.engine, Constrained(ConstraintKind::kJsonSchema, "{"));
  REQUIRE(bad.error.has_value());
  CHECK(bad.error->message.starts_with("failed to compile the json_schema grammar (invalid): "));
  CHECK(bad.error->param == "sampling_params.json_schema");
  CHECK(bad.error->code == 400);
}

TEST_CASE("an EBNF text is one of its words") {
  Subject s;
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto result = RunOne(
        *s.engine,
        Sampled(Constrained(ConstraintKind::kEbnf, R"(root ::= "Hello" | "Hi" | "Hey")"), seed));
    seen.insert(result.text);
    CHECK(EndsAtEos(result));
  }
  CHECK(seen == std::set<std::string>{"Hello", "Hey", "Hi"});
}

TEST_CASE("the two shapes of a structural tag give the same texts, and free text may end") {
  const std::string legacy =
      R"({"structures":[{"begin":"[f]","schema":{"const":1},"end":"[/f]"}],"triggers":["[f"]})";
  const std::string typed =
      R"({"format":{"type":"triggered_tags","triggers":["[f"],"tags":[{"begin":"[f]",)"
      R"("content":{"type":"json_schema","json_schema":{"const":1}},"end":"[/f]"}]}})";
  Subject s(Logits{{Letters().Find("[").value(), 4}, {Letters().Find("f").value(), 4}, {kEos, 3}});
  int tags = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto a =
        RunOne(*s.engine, Sampled(Constrained(ConstraintKind::kStructuralTag, legacy), seed));
    const auto b =
        RunOne(*s.engine, Sampled(Constrained(ConstraintKind::kStructuralTag, typed), seed));
    CHECK(ResultText(a) == ResultText(b));
    CHECK(EndsAtEos(a));
    for (std::size_t at = a.text.find("[f"); at != std::string::npos;
         at = a.text.find("[f", at + 1)) {
      CHECK(a.text.substr(at, 8) == "[f]1[/f]");
      ++tags;
    }
  }
  CHECK(tags > 0);
}

TEST_CASE("a grammar ends the text though ignore_eos is set, and says so") {
  Subject s;
  const auto result = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "France",
                                                    [](auto& p) { p.ignore_eos = true; }));
  CHECK(result.text == "France");
  CHECK(EndsAtEos(result));
  CHECK(result.grammar->forced_end);
  const auto minimum = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "France",
                                                     [](auto& p) { p.min_new_tokens = 20; }));
  CHECK(EndsAtEos(minimum));
  CHECK(minimum.grammar->forced_end);
}

TEST_CASE("min_new_tokens holds an end back where the text can go on") {
  Subject s(Logits{{kEos, 9}});
  const auto result = RunOne(
      *s.engine, Constrained(ConstraintKind::kRegex, "x+", [](auto& p) { p.min_new_tokens = 5; }));
  CHECK(result.text == "xxxxx");
  CHECK(EndsAtEos(result));
  CHECK_FALSE(result.grammar->forced_end);
}

TEST_CASE("a forced end equals a drawn one") {
  Subject s;
  const auto forced = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "a[bc]France"));
  GenerateRequest watched = Constrained(ConstraintKind::kRegex, "a[bc]France");
  watched.return_logprob = true;
  watched.top_logprobs_num = 2;
  const auto drawn = RunOne(*s.engine, std::move(watched));
  CHECK(forced.output_ids == drawn.output_ids);
  CHECK(forced.text == drawn.text);
  CHECK(forced.finish_reason.matched == drawn.finish_reason.matched);
  // Masked tokens have the lowest logprob, written as the lowest finite number.
  const auto& last = (*drawn.logprobs->output_top_logprobs).back();
  CHECK(*(*last)[0].logprob == 0.0f);
  CHECK(*(*last)[1].logprob < -1e30f);
}

TEST_CASE("a bias cannot revive a masked token") {
  Subject s;
  const std::int32_t q = s.Id("q");
  const auto result =
      RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "[ab]{4}", [&](auto& p) {
        p.logit_bias = {{q, 100.0f}, {s.Id("b"), 50.0f}};
      }));
  CHECK(result.text == "bbbb");
}

TEST_CASE("stop strings and stop tokens end a text that is not whole") {
  Subject s;
  const auto cut = RunOne(
      *s.engine, Constrained(ConstraintKind::kRegex, "abc|ab", [](auto& p) { p.stop = {"c"}; }));
  CHECK(cut.text == "ab");  // cut before c: "ab" is a member itself
  CHECK(cut.grammar->complete);
  const auto half = RunOne(
      *s.engine, Constrained(ConstraintKind::kRegex, "abcd", [](auto& p) { p.stop = {"c"}; }));
  CHECK(half.text == "ab");
  CHECK_FALSE(half.grammar->complete);
  const auto token = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "abcd", [&](auto& p) {
    p.stop_token_ids = {s.Id("c")};
  }));
  CHECK(token.text == "ab");
  CHECK_FALSE(token.grammar->complete);
}

TEST_CASE("a special stop token of the request is an end like EOS") {
  Subject s(Logits{{kTag, 9}});
  const auto result = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "ab",
                                                    [](auto& p) { p.stop_token_ids = {kTag}; }));
  CHECK(result.text == "ab");
  CHECK(result.grammar->complete);
  // Where only ends are left, the first end of the model is the one.
  CHECK(EndsAtEos(result));
  const auto choice = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "ab*",
                                                    [](auto& p) { p.stop_token_ids = {kTag}; }));
  CHECK(choice.text == "a");
  CHECK(choice.output_ids.back() == kTag);
  CHECK(choice.grammar->complete);
}

TEST_CASE("a token element may be special, text is not") {
  Subject s;
  const auto result =
      RunOne(*s.engine, Constrained(ConstraintKind::kEbnf, "root ::= \"a\" <[2]> \"b\""));
  CHECK(result.output_ids == std::vector<std::int32_t>{s.Id("a"), kTag, s.Id("b"), kEos});
  CHECK(result.grammar->complete);
}

TEST_CASE("a text that the vocabulary cannot spell is refused") {
  Subject s;
  const auto result = RunOne(*s.engine, Constrained(ConstraintKind::kRegex, "a\xC3\xA9"));
  REQUIRE(result.error.has_value());
  CHECK(result.error->message.find("(unreachable)") != std::string::npos);
}

std::vector<GenerateRequest> SixtyFour() {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 64; ++i) {
    const std::string n = std::to_string(i);
    const std::string schema = R"({"type":"object","properties":{"k)" + n +
                               R"(":{"type":"string","maxLength":)" + std::to_string(1 + i % 9) +
                               R"(},"n":{"type":"integer","minimum":)" + n +
                               R"(}},"required":["k)" + n + "\"]}";
    const std::string regexes[] = {"[a-f]{" + n + "}x", "(abc|a" + n + ")+", "\\d+\\." + n};
    GenerateRequest request =
        Constrained(i % 2 == 0 ? ConstraintKind::kJsonSchema : ConstraintKind::kRegex,
                    i % 2 == 0 ? schema : regexes[i % 3], [&](SamplingParams& p) {
                      p.max_new_tokens = 20 + i;
                      p.repetition_penalty = i % 5 == 0 ? 1.3 : 1.0;
                    });
    request.return_logprob = i % 7 == 0;
    request.top_logprobs_num = 3;
    requests.push_back(i % 3 == 0 ? std::move(request)
                                  : Sampled(std::move(request), static_cast<std::uint64_t>(i)));
  }
  return requests;
}

TEST_CASE("sixty-four constraints in one batch give what each gives alone") {
  Subject together({{kEos, 1}}, {.max_rows = 64});
  const auto batch = RunAll(*together.engine, SixtyFour());
  Subject alone({{kEos, 1}}, {.max_rows = 1});
  const auto requests = SixtyFour();
  int whole = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CAPTURE(i);
    REQUIRE_FALSE(batch[i].error.has_value());
    const auto one = RunOne(*alone.engine, requests[i]);
    CHECK(ResultText(batch[i]) == ResultText(one));
    CHECK(batch[i].grammar->complete == one.grammar->complete);
    whole += one.grammar->complete ? 1 : 0;
  }
  CHECK(whole > 20);
}

TEST_CASE("a preempted sequence goes on where its constraint stood") {
  // Pages for two sequences at their longest: with eight, some are put back and computed again.
  const std::size_t page = BackendUnderTest().table.kv_page_bytes({1, 8, tensor::DType::kBF16});
  Subject small({{kEos, 1}},
                {.max_rows = 8, .kv_memory_bytes = 16 * static_cast<std::int64_t>(page)});
  Subject large({{kEos, 1}}, {.max_rows = 8});
  const auto requests = [] {
    std::vector<GenerateRequest> list;
    for (std::uint64_t i = 0; i < 8; ++i) {
      list.push_back(Sampled(Constrained(ConstraintKind::kRegex, "(ab|[c-z]){60,90}",
                                         [](auto& p) { p.max_new_tokens = 120; }),
                             i));
    }
    return list;
  };
  const auto a = RunAll(*small.engine, requests());
  const auto b = RunAll(*large.engine, requests());
  CHECK(small.engine->stats().preemptions > 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(a[i].text == b[i].text);
    CHECK(a[i].output_ids == b[i].output_ids);
  }
}

}  // namespace
}  // namespace sglrun::engine
