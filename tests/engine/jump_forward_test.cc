// --grammar-jump-forward: forced text is taken as several tokens at once, and nothing but the
// number of steps and the choice of tokens may change.
#include "engine/jump_forward.h"

#include <algorithm>

#include "grammar_fixture.h"
#include "result_text.h"

namespace sglrun::engine {
namespace {

constexpr ConstraintKind kRegex = ConstraintKind::kRegex;
// Its letters are no part of longer words of the vocabulary.
const std::string kForced = "(ab|cd) is what you ask for here, and this goes on and on[.!]";

EngineOptions Jumping(EngineOptions options = {}) {
  options.jump_forward = true;
  return options;
}

std::vector<std::string> Words(const Subject& s, const std::vector<std::int32_t>& ids) {
  std::vector<std::string> words;
  for (const std::int32_t id : ids) words.push_back(s.tokenizer.TokenName(id));
  return words;
}

std::vector<std::string> Forced(const std::string& before, const std::string& forced) {
  Subject s;
  const grammar::Vocabulary vocabulary(s.tokenizer, s.tokenizer.vocab_size());
  const auto ids = *s.tokenizer.Encode(before, {});
  return Words(s, TokensOfForcedText(s.tokenizer, vocabulary, ids, forced));
}

using List = std::vector<std::string>;

TEST_CASE("forced text gets the tokens of the tokenizer, but for those that may still grow") {
  CHECK(Forced("", "x{\"y\":") == List{"x", "{\"", "y", "\":"});
  CHECK(Forced("", "xy\"") == List{"x", "y"});    // may become ":
  CHECK(Forced("", "xyFran") == List{"x", "y"});  // may become France
  CHECK(Forced("", "xyFranc!") == List{"x", "y", "F", "r", "a", "n", "c", "!"});
  CHECK(Forced("", "Fr").empty());
  CHECK(Forced("", "x\xC3") == List{"x"});  // the other character is not whole yet
}

TEST_CASE("forced text begins where the tokens before it end, or is left alone") {
  CHECK(Forced("ab", "cd!") == List{"c", "d", "!"});
  CHECK(Forced("{\"", "a\":!") == List{"a", "\":", "!"});
  // The tokenizer would not part {" here.
  CHECK(Forced("{", "\"a").empty());
}

TEST_CASE("forced text takes few steps and leaves texts, tokens and logprobs as they are") {
  for (const bool greedy : {true, false}) {
    for (const HiddenStates states : {HiddenStates::kNone, HiddenStates::kAll}) {
      CAPTURE(greedy);
      const auto request = [&] {
        GenerateRequest r = Constrained(kRegex, kForced, [](SamplingParams& p) {
          p.max_new_tokens = 100;
          p.temperature = 0.7;
          p.repetition_penalty = 1.2;
          p.presence_penalty = 0.5;
          p.logit_bias = {{7, 1.5f}};
        });
        r.return_logprob = true;
        r.top_logprobs_num = 3;
        r.token_ids_logprob = {{5, 80}};
        r.return_hidden_states = states;
        return greedy ? std::move(r) : Sampled(std::move(r), 5);
      };
      Subject plain({{40, 1.0f}, {41, 2.0f}, {kEos, 3.0f}});
      Subject jumping({{40, 1.0f}, {41, 2.0f}, {kEos, 3.0f}}, Jumping());
      const auto a = RunOne(*plain.engine, request());
      const auto b = RunOne(*jumping.engine, request());
      CHECK(ResultText(a) == ResultText(b));
      CHECK(b.grammar->complete);
      CHECK(EndsAtEos(b));
      CHECK(plain.engine->stats().steps > 50);
      CHECK(jumping.engine->stats().steps < 8);
      CHECK(jumping.engine->stats().output_tokens == plain.engine->stats().output_tokens);
    }
  }
}

TEST_CASE("text that is forced from its first byte on is fed with the prompt") {
  Subject s({}, Jumping());
  const auto result = RunOne(*s.engine, Constrained(kRegex, "just this and no more[.!]"));
  CHECK(result.text.starts_with("just this and no more"));
  CHECK(EndsAtEos(result));
  CHECK(result.prompt_tokens == 1);
  CHECK(s.engine->stats().steps <= 2);
}

TEST_CASE("forced text may be spelled with longer tokens") {
  Subject s({}, Jumping());
  const auto result = RunOne(*s.engine, Constrained(kRegex, "x in France or England!"));
  CHECK(result.text == "x in France or England!");
  CHECK(std::ranges::count(result.output_ids, s.Id("France")) == 1);
  CHECK(std::ranges::count(result.output_ids, s.Id("land")) == 1);
}

TEST_CASE("forced tokens are counted: the text ends at max_new_tokens and at stop tokens") {
  Subject plain, jumping({}, Jumping());
  for (const std::int64_t most : {1, 2, 3, 20}) {
    const auto request = [&](bool logprobs) {
      GenerateRequest r = Constrained(kRegex, kForced, [&](auto& p) { p.max_new_tokens = most; });
      r.return_logprob = logprobs;
      return r;
    };
    for (const bool logprobs : {false, true}) {
      const auto a = RunOne(*plain.engine, request(logprobs));
      const auto b = RunOne(*jumping.engine, request(logprobs));
      CHECK(ResultText(a) == ResultText(b));
      CHECK(static_cast<std::int64_t>(b.output_ids.size()) == most);
      CHECK_FALSE(b.grammar->complete);
    }
  }
  const auto stops = [&](SamplingParams& p) { p.stop_token_ids = {plain.Id("y")}; };
  CHECK(ResultText(RunOne(*plain.engine, Constrained(kRegex, kForced, stops))) ==
        ResultText(RunOne(*jumping.engine, Constrained(kRegex, kForced, stops))));
  const auto strings = [&](SamplingParams& p) { p.stop = {"ask f"}; };
  const auto cut = RunOne(*jumping.engine, Constrained(kRegex, kForced, strings));
  CHECK(cut.text == "ab is what you ");
  CHECK(ResultText(RunOne(*plain.engine, Constrained(kRegex, kForced, strings))) ==
        ResultText(cut));
}

// A model that ends, and puts no blanks where it need not.
const Logits kTerse = {
    {kEos, 1}, {Letters().Find(" ").value(), -9}, {Letters().Find("\n").value(), -9}};

std::vector<GenerateRequest> Mixed() {
  std::vector<GenerateRequest> requests;
  for (std::uint64_t i = 0; i < 32; ++i) {
    const std::string n = std::to_string(i);
    const std::string key(1 + i * 3, static_cast<char>('a' + i % 20));
    const std::string schema =
        R"({"type":"object","properties":{")" + key +
        R"(":{"enum":["France","England"]},"and then":{"type":"boolean"}},)" + R"("required":[")" +
        key + R"(","and then"]})";
    const bool is_schema = i % 2 == 0;
    GenerateRequest r = Constrained(is_schema ? ConstraintKind::kJsonSchema : kRegex,
                                    is_schema ? schema : "(x|y) number " + n + key + "[0-9]{4}",
                                    [&](SamplingParams& p) {
                                      p.max_new_tokens = 150;
                                      p.frequency_penalty = i % 5 == 0 ? 0.5 : 0.0;
                                    });
    r.return_logprob = i % 3 == 0;
    r.top_logprobs_num = 2;
    requests.push_back(i % 4 == 0 ? std::move(r) : Sampled(std::move(r), i));
  }
  return requests;
}

TEST_CASE("with forced text a result depends on its record alone") {
  Subject alone(kTerse, Jumping({.max_rows = 1}));
  const auto requests = Mixed();
  std::vector<std::string> expected;
  int complete = 0;
  for (const GenerateRequest& request : requests) {
    const auto one = RunOne(*alone.engine, request);
    expected.push_back(ResultText(one));
    complete += one.grammar->complete ? 1 : 0;
  }
  CHECK(complete > 24);
  // All at once, in small chunks, and with so little memory that some are put back.
  for (const EngineOptions& options :
       {EngineOptions{.max_rows = 32}, EngineOptions{.max_rows = 8, .max_batch_tokens = 8},
        EngineOptions{.max_rows = 8, .kv_memory_bytes = 1 << 14}}) {
    Subject together(kTerse, Jumping(options));
    const auto batch = RunAll(*together.engine, Mixed());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      CAPTURE(i);
      CHECK(ResultText(batch[i]) == expected[i]);
    }
  }
}

TEST_CASE("forced text changes no greedy text, whatever its tokens") {
  Subject plain(kTerse), jumping(kTerse, Jumping());
  for (GenerateRequest& request : Mixed()) {
    auto params = std::make_shared<SamplingParams>(*request.sampling);
    params->top_k = 1;
    params->frequency_penalty = 0;
    request.sampling = params;
    const auto a = RunOne(*plain.engine, request);
    const auto b = RunOne(*jumping.engine, request);
    CHECK(a.text == b.text);
  }
  CHECK(jumping.engine->stats().steps * 2 < plain.engine->stats().steps);
}

}  // namespace
}  // namespace sglrun::engine
