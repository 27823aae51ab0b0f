// Requests through the whole engine on models whose logits are written by the test: what
// docs/requests.md promises.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "chain_model.h"
#include "engine_fixture.h"
#include "fake_tokenizer.h"
#include "kernels/common/random.h"

namespace sglrun::engine {
namespace {

using Kind = FinishReason::Kind;
using Ids = std::vector<std::int32_t>;

// A chain over hand-made words: by default word i is followed by word i + 1.
class World {
 public:
  World(std::vector<std::string> words, const LogitTable& table, ChainOptions chain = {},
        const EngineOptions& options = {})
      : tokenizer_(words, {}) {
    if (chain.vocab_size == 0) chain.vocab_size = static_cast<std::int64_t>(words.size());
    model_ = ChainModel(chain, table, BackendUnderTest(), context_);
    engine_ = MakeEngine(*model_, tokenizer_, options, context_);
  }

  Engine& engine() { return *engine_; }
  model::Model& model() { return *model_; }
  kernels::KernelContext& context() { return context_; }
  GenerateResult Run(GenerateRequest request) { return RunOne(*engine_, std::move(request)); }

 private:
  ThreadPool pool_{1};
  kernels::KernelContext context_{pool_};
  FakeTokenizer tokenizer_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<Engine> engine_;
};

// Tokens 0 "<eos>", 1 "<pad>", then the words in the order they will be generated after token 2.
World Spoken(std::vector<std::string> words, ChainOptions chain = {.eos_token_ids = {0}},
             const EngineOptions& options = {}) {
  std::vector<std::string> all = {"<eos>", "<pad>", "say: "};
  all.insert(all.end(), words.begin(), words.end());
  Ids script;
  for (std::size_t i = 2; i < all.size(); ++i) script.push_back(static_cast<std::int32_t>(i));
  script.push_back(0);
  return World(all, Script(script), chain, options);
}

// Next-token logits of a vocabulary of 24 that look random, with their log_softmax.
constexpr std::int32_t kVocab = 24;
float RandomLogit(std::int32_t last, std::int32_t next) {
  return 2.5f * std::sin(static_cast<float>(last * 37 + next * 11 + last * next));
}
LogitTable RandomTable() {
  LogitTable table;
  for (std::int32_t last = 0; last < kVocab; ++last) {
    for (std::int32_t next = 0; next < kVocab; ++next) table[last][next] = RandomLogit(last, next);
  }
  return table;
}
double RandomLogprob(std::int32_t last, std::int32_t next, double temperature = 1.0) {
  double total = 0;
  for (std::int32_t t = 0; t < kVocab; ++t) total += std::exp(RandomLogit(last, t) / temperature);
  return RandomLogit(last, next) / temperature - std::log(total);
}
std::vector<std::string> NumberedWords() {
  std::vector<std::string> words;
  for (std::int32_t id = 0; id < kVocab; ++id) words.push_back("w" + std::to_string(id) + " ");
  return words;
}
World Random(const EngineOptions& options = {}) {
  return World(NumberedWords(), RandomTable(), {}, options);
}

GenerateRequest WithLogprobs(GenerateRequest request, std::int64_t start) {
  request.return_logprob = true;
  request.logprob_start_len = start;
  return request;
}

TEST_CASE("a scripted model is run until its end token") {
  World world = Spoken({"Hello", " ", "world"});
  const GenerateResult result = world.Run(Request({2}));
  CHECK(result.text == "Hello world");
  CHECK(result.output_ids == Ids{3, 4, 5, 0});
  CHECK(result.finish_reason.kind == Kind::kStop);
  CHECK(std::get<std::int32_t>(result.finish_reason.matched) == 0);
  CHECK(result.prompt_tokens == 1);
}

TEST_CASE("text is tokenized and the prompt is not echoed; its ids come when asked for") {
  World world = Spoken({"Hello", " ", "world"});
  GenerateRequest request = Request({});
  request.input_ids.reset();
  request.text = "say: Hello";
  request.rid = "r";
  request.return_prompt_token_ids = true;
  const GenerateResult result = world.Run(request);
  CHECK(result.text == " world");
  CHECK(result.prompt_token_ids == Ids{2, 3});
  CHECK(result.rid == "r");
}

TEST_CASE("stop strings, regexes and every end token of the model stop") {
  World world = Spoken({"Hello ", "ST", "O", "P", " world"}, {.eos_token_ids = {0, 7}});
  const auto stop = world.Run(Request({2}, [](auto& p) { p.stop = {"STOP"}; }));
  CHECK(stop.text == "Hello ");
  CHECK(stop.output_ids == Ids{3, 4, 5, 6});
  const auto regex = world.Run(Request({2}, [](auto& p) { p.stop_regex = {"S.O"}; }));
  CHECK(regex.text == "Hello STO");
  const auto other_end = world.Run(Request({2}));
  CHECK(std::get<std::int32_t>(other_end.finish_reason.matched) == 7);
  CHECK(other_end.text == "Hello STOP");
}

TEST_CASE(
    "partial results grow by whole characters and hold nothing that a stop string takes back") {
  World world = Spoken({"a", "\xC3", "\xA9", "ST", "x", "ST", "OP", "b"}, {.eos_token_ids = {0}},
                       {.partial_results = true});
  auto sequence = world.engine().Admit(Request({2}, [](auto& p) { p.stop = {"STOP"}; }));
  REQUIRE(sequence.ok());
  world.engine().Submit(std::move(sequence).value());
  std::vector<std::string> texts;
  std::vector<GenerateResult> results;
  while (world.engine().HasWork()) {
    results = world.engine().Step();
    for (const GenerateResult& partial : world.engine().Partials()) texts.push_back(partial.text);
  }
  CHECK(texts == std::vector<std::string>{"a", "a", "a\xC3\xA9", "a\xC3\xA9STx"});
  CHECK(results.front().text == "a\xC3\xA9STx");
}

TEST_CASE("null max_new_tokens fills the context exactly") {
  World world(NumberedWords(), RandomTable(), {.context_length = 64});
  const auto result = world.Run(Request(Ids(10, 3), [](auto& p) {
    p.max_new_tokens.reset();
    p.ignore_eos = true;
  }));
  CHECK(result.finish_reason.kind == Kind::kLength);
  CHECK(result.finish_reason.length == 54);
  CHECK(result.output_ids.size() == 54);
}

TEST_CASE("min_new_tokens 3 gives three tokens before an end token that has the highest logit") {
  World world = Spoken({});
  const auto result = world.Run(Request({2}, [](auto& p) {
    p.min_new_tokens = 3;
    p.logit_bias = {{0, 100.0f}};
  }));
  CHECK(result.output_ids.size() == 4);
  CHECK(result.output_ids.back() == 0);
  CHECK(std::ranges::count(result.output_ids, 0) == 1);
}

TEST_CASE("min_new_tokens does not delay a stop string") {
  World world = Spoken({"x", "y"});
  const auto result = world.Run(Request({2}, [](auto& p) {
    p.min_new_tokens = 3;
    p.stop = {"x"};
  }));
  CHECK(result.output_ids.size() == 1);
}

TEST_CASE("a bias of 100 repeats one token, penalties bring others") {
  World world = Random();
  auto forced = world.Run(Request({5}, [](auto& p) { p.logit_bias = {{9, 100.0f}}; }));
  CHECK(forced.output_ids == Ids(8, 9));
  const auto varied = world.Run(Request({5}, [](auto& p) {
    p.max_new_tokens = 20;
    p.presence_penalty = 2.0;
    p.frequency_penalty = 2.0;
    p.repetition_penalty = 2.0;
  }));
  // The penalties by hand, on the table the model was made from.
  Ids expected;
  std::map<std::int32_t, int> counts;
  for (std::int32_t last = 5; expected.size() < 20; last = expected.back()) {
    std::int32_t best = 0;
    float best_logit = -1e9f;
    for (std::int32_t t = 0; t < kVocab; ++t) {
      float z = RandomLogit(last, t);
      if (counts[t] > 0) {
        z = z - 2.0f * static_cast<float>(counts[t]) - 2.0f;
        z = z < 0 ? z * 2 : z / 2;
      }
      if (z > best_logit) best = t, best_logit = z;
    }
    ++counts[best];
    expected.push_back(best);
  }
  CHECK(varied.output_ids == expected);
}

TEST_CASE("draws follow the seed and the sample index") {
  World world(NumberedWords(), {});  // every token equally likely
  const auto draw = [&](std::uint64_t seed, std::uint32_t sample) {
    GenerateRequest request = Request({1}, [](auto& p) { p.top_k = kTopKAll; });
    request.seed = seed;
    request.sample_index = sample;
    return world.Run(request).output_ids;
  };
  CHECK(draw(7, 0) == draw(7, 0));
  CHECK(draw(7, 0) != draw(8, 0));
  CHECK(draw(7, 0) != draw(7, 1));
  // Bits of (seed, sample, absolute position), scaled to 24 equal weights.
  const Ids first = draw(7, 3);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint64_t bits = kernels::RandomBits(7, 3, 1 + i);
    CHECK(first[i] == static_cast<std::int32_t>((bits >> 32) * kVocab >> 32));
  }
  std::set<std::int32_t> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const std::int32_t id : draw(seed, 0)) seen.insert(id);
  }
  CHECK(seen.size() == kVocab);
}

TEST_CASE("prompt logprobs are log_softmax of the position before, the first is unknown") {
  World world = Random();
  const Ids prompt = {3, 1, 4, 1, 5, 9, 2, 6};
  const auto n = static_cast<std::int64_t>(prompt.size());
  for (const std::int64_t start : {0, 3, 7, 8}) {
    GenerateRequest request = WithLogprobs(Request(prompt), start);
    request.top_logprobs_num = 2;
    request.token_ids_logprob = {{7, 7, 2}};
    const LogprobResult logprobs = *world.Run(request).logprobs;
    const auto& input = logprobs.input_token_logprobs;
    REQUIRE(static_cast<std::int64_t>(input.size()) == n - start);
    REQUIRE(logprobs.input_top_logprobs->size() == input.size());
    REQUIRE(logprobs.input_token_ids_logprobs->size() == input.size());
    for (std::size_t i = 0; i < input.size(); ++i) {
      const auto position = static_cast<std::size_t>(start) + i;
      CHECK(input[i].token_id == prompt[position]);
      CHECK(input[i].logprob.has_value() == (i > 0));
      CHECK((*logprobs.input_top_logprobs)[i].has_value() == (i > 0));
      if (i == 0) continue;
      const std::int32_t last = prompt[position - 1];
      CHECK(*input[i].logprob ==
            doctest::Approx(RandomLogprob(last, prompt[position])).epsilon(1e-4));
      const auto& asked = *(*logprobs.input_token_ids_logprobs)[i];
      REQUIRE(asked.size() == 3);
      CHECK(asked[0].token_id == 7);
      CHECK(*asked[1].logprob == doctest::Approx(RandomLogprob(last, 7)).epsilon(1e-4));
      CHECK(*asked[2].logprob == doctest::Approx(RandomLogprob(last, 2)).epsilon(1e-4));
      const auto& top = *(*logprobs.input_top_logprobs)[i];
      REQUIRE(top.size() == 2);
      CHECK(*top[0].logprob >= *top[1].logprob);
      CHECK(*top[0].logprob >= *input[i].logprob);
    }
  }
}

TEST_CASE("logprob_start_len -1 gives empty prompt lists, without return_logprob nothing") {
  World world = Random();
  GenerateRequest request = WithLogprobs(Request({3, 1, 4}), -1);
  request.top_logprobs_num = 2;
  request.token_ids_logprob = {{7}};
  const auto logprobs = *world.Run(request).logprobs;
  CHECK(logprobs.input_token_logprobs.empty());
  CHECK(logprobs.input_top_logprobs->empty());
  CHECK(logprobs.input_token_ids_logprobs->empty());
  CHECK(logprobs.output_top_logprobs->size() == 8);
  request.return_logprob = false;
  CHECK_FALSE(world.Run(request).logprobs.has_value());
  CHECK(world.engine().Admit(WithLogprobs(Request({3, 1, 4}), 4)).ok() == false);
}

TEST_CASE("greedy output logprobs lead the list of the best, wider lists are clipped") {
  World world = Random();
  GenerateRequest request = WithLogprobs(Request({3, 1, 4}), -1);
  request.top_logprobs_num = 1'000'000;
  const GenerateResult result = world.Run(request);
  std::int32_t last = 4;
  for (std::size_t i = 0; i < result.output_ids.size(); ++i) {
    const TokenLogprob& chosen = result.logprobs->output_token_logprobs[i];
    const auto& top = *(*result.logprobs->output_top_logprobs)[i];
    CHECK(top.size() == kVocab);
    CHECK(chosen.token_id == result.output_ids[i]);
    CHECK(top[0].token_id == chosen.token_id);
    CHECK(*top[0].logprob == *chosen.logprob);
    CHECK(*chosen.logprob == doctest::Approx(RandomLogprob(last, chosen.token_id)).epsilon(1e-4));
    last = chosen.token_id;
  }
}

TEST_CASE("temperature scales sampled rows in mode sampled, never greedy rows or mode original") {
  for (const LogprobsMode mode : {LogprobsMode::kSampled, LogprobsMode::kOriginal}) {
    World world = Random({.logprobs_mode = mode});
    for (const bool greedy : {false, true}) {
      const GenerateResult result = world.Run(WithLogprobs(Request({3},
                                                                   [&](auto& p) {
                                                                     p.top_k =
                                                                         greedy ? 1 : kTopKAll;
                                                                     p.temperature = 2.0;
                                                                     p.top_p = 0.3;
                                                                   }),
                                                           -1));
      const double t = !greedy && mode == LogprobsMode::kSampled ? 2.0 : 1.0;
      const TokenLogprob& chosen = result.logprobs->output_token_logprobs[0];
      CHECK(*chosen.logprob == doctest::Approx(RandomLogprob(3, chosen.token_id, t)).epsilon(1e-4));
    }
  }
}

TEST_CASE("scoring the output with max_new_tokens 0 gives the logprobs it was generated with") {
  World world = Random();
  Ids ids = {3, 1, 4};
  const GenerateResult generated =
      world.Run(WithLogprobs(Request(ids, [](auto& p) { p.top_k = kTopKAll; }), -1));
  ids.insert(ids.end(), generated.output_ids.begin(), generated.output_ids.end());
  const GenerateResult scored =
      world.Run(WithLogprobs(Request(ids, [](auto& p) { p.max_new_tokens = 0; }), 0));
  CHECK(scored.logprobs->input_token_logprobs.size() == 11);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(*scored.logprobs->input_token_logprobs[3 + i].logprob ==
          doctest::Approx(*generated.logprobs->output_token_logprobs[i].logprob).epsilon(1e-3));
  }
}

TEST_CASE("max_new_tokens 0 reports the next distribution and generates nothing") {
  World world = Random();
  GenerateRequest request = WithLogprobs(Request({3, 1, 4},
                                                 [](auto& p) {
                                                   p.max_new_tokens = 0;
                                                   p.top_k = kTopKAll;
                                                   p.temperature = 3.0;
                                                   p.logit_bias = {{8, 50.0f}};
                                                 }),
                                         0);
  request.top_logprobs_num = 3;
  request.token_ids_logprob = {{8}};
  const GenerateResult result = world.Run(request);
  CHECK(result.text.empty());
  CHECK(result.output_ids.empty());
  CHECK(result.finish_reason.kind == Kind::kLength);
  CHECK(result.finish_reason.length == 0);
  CHECK(result.logprobs->output_token_logprobs.empty());
  REQUIRE(result.logprobs->output_top_logprobs->size() == 1);
  CHECK((*(*result.logprobs->output_top_logprobs)[0])[0].token_id == 8);
  REQUIRE(result.logprobs->output_token_ids_logprobs->size() == 1);
  CHECK(*(*(*result.logprobs->output_token_ids_logprobs)[0])[0].logprob ==
        doctest::Approx(0.0).epsilon(1e-5));
}

TEST_CASE("texts of logprobs keep special tokens") {
  World world = Spoken({"Hello", " ", "world"});
  GenerateRequest request = WithLogprobs(Request({1, 2, 3}), 1);
  request.return_text_in_logprobs = true;
  const GenerateResult result = world.Run(request);
  std::string prompt;
  for (const auto& entry : result.logprobs->input_token_logprobs) prompt += *entry.text;
  CHECK(prompt == "say: Hello");
  CHECK(*result.logprobs->output_token_logprobs.back().text == "<eos>");
}

TEST_CASE("hidden states: all prompt rows, then one row for every token but the last") {
  World world = Random({.max_batch_tokens = 64});
  const Ids prompt = {3, 1, 4, 1, 5};
  GenerateRequest request = Request(prompt);
  request.return_hidden_states = HiddenStates::kAll;
  const GenerateResult result = world.Run(request);
  const HiddenStateResult& states = *result.hidden_states;
  const auto width = static_cast<std::size_t>(states.width);
  CHECK(states.prompt_rows == 5);
  CHECK(states.values.size() == (5 + 8 - 1) * width);
  // The state of a chain model points at the token that was fed.
  Ids fed = prompt;
  fed.insert(fed.end(), result.output_ids.begin(), result.output_ids.end() - 1);
  for (std::size_t row = 0; row < fed.size(); ++row) {
    const auto begin = states.values.begin() + static_cast<std::ptrdiff_t>(row * width);
    CHECK(std::max_element(begin, begin + states.width) - begin == fed[row]);
  }
  request.return_hidden_states = HiddenStates::kLast;
  const GenerateResult last = world.Run(request);
  CHECK(last.hidden_states->last_only);
  CHECK(std::ranges::equal(last.hidden_states->values, std::span(states.values).last(width)));
  CHECK_FALSE(world.Run(Request(prompt)).hidden_states.has_value());
}

TEST_CASE("hidden states with max_new_tokens 0 are the prompt's rows") {
  World world = Random();
  GenerateRequest request = Request({3, 1, 4}, [](auto& p) { p.max_new_tokens = 0; });
  request.return_hidden_states = HiddenStates::kAll;
  const GenerateResult result = world.Run(request);
  CHECK(result.hidden_states->prompt_rows == 3);
  CHECK(static_cast<std::int64_t>(result.hidden_states->values.size()) ==
        3 * result.hidden_states->width);
}

TEST_CASE("the sampling mask lists the kept ids and the share of the chosen one") {
  World world = Random();
  GenerateRequest request = Request({3}, [](auto& p) {
    p.top_k = 3;
    p.max_new_tokens = 4;
  });
  request.return_sampling_mask = true;
  const GenerateResult result = world.Run(request);
  REQUIRE(result.sampling_mask->kept_ids.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Ids& kept = result.sampling_mask->kept_ids[i];
    CHECK(kept.size() == 3);
    CHECK(std::ranges::count(kept, result.output_ids[i]) == 1);
    const std::int32_t last = i == 0 ? 3 : result.output_ids[i - 1];
    double total = 0;
    for (const std::int32_t id : kept) total += std::exp(RandomLogprob(last, id));
    CHECK(
        result.sampling_mask->chosen_logprobs[i] ==
        doctest::Approx(RandomLogprob(last, result.output_ids[i]) - std::log(total)).epsilon(1e-4));
  }
  GenerateRequest greedy = Request({3});
  greedy.return_sampling_mask = true;
  const GenerateResult certain = world.Run(greedy);
  CHECK(certain.sampling_mask->kept_ids[0] == Ids{certain.output_ids[0]});
  CHECK(certain.sampling_mask->chosen_logprobs[0] == 0.0f);
}

TEST_CASE("embeddings equal to those of ids give the same output") {
  World world = Random();
  const Ids ids = {3, 1, 4, 1, 5};
  const auto width = world.model().spec().hidden_size;
  auto embeds = std::make_shared<EmbeddingRows>(
      EmbeddingRows{5, width, std::vector<float>(static_cast<std::size_t>(5 * width))});
  const kernels::Backend& backend = BackendUnderTest();
  const tensor::Buffer rows(*backend.allocator, embeds->values.size() * sizeof(float));
  world.model().Embed(ids, tensor::MakeView(rows.data(), tensor::DType::kF32, {5, width}));
  backend.table.download(embeds->values.data(), rows.data(), rows.bytes(), world.context());
  GenerateRequest request = Request({});
  request.input_ids.reset();
  request.input_embeds = embeds;
  const GenerateResult result = world.Run(request);
  CHECK(result.output_ids == world.Run(Request(ids)).output_ids);
  CHECK(result.prompt_tokens == 5);
}

TEST_CASE("ids without a token are never drawn, though the head knows them") {
  std::vector<std::string> words = NumberedWords();
  words[7] = "";
  words.resize(20);
  LogitTable table;
  for (std::int32_t last = 0; last < kVocab; ++last) table[last] = {{7, 30.0f}, {22, 40.0f}};
  World world(words, table, {.vocab_size = kVocab});
  for (const std::int64_t top_k : {std::int64_t{1}, kTopKAll}) {
    const auto result =
        world.Run(WithLogprobs(Request({1}, [&](auto& p) { p.top_k = top_k; }), -1));
    for (const std::int32_t id : result.output_ids) CHECK((id < 20 && id != 7));
    CHECK(*result.logprobs->output_token_logprobs[0].logprob == doctest::Approx(-40).epsilon(0.01));
  }
}

TEST_CASE("a row of NaN fails its record and no other") {
  World world(NumberedWords(), RandomTable(), {.broken_token = 9});
  const auto results = RunAll(world.engine(), {Request({3},
                                                       [](auto& p) {
                                                         p.logit_bias = {{5, 100.0f}};
                                                       }),
                                               Request({3},
                                                       [](auto& p) {
                                                         p.logit_bias = {{9, 100.0f}};
                                                       }),
                                               WithLogprobs(Request({9, 3}), 0)});
  CHECK_FALSE(results[0].error.has_value());
  CHECK(results[0].output_ids == Ids(8, 5));
  for (const std::size_t i : {1, 2}) {
    REQUIRE(results[i].error.has_value());
    CHECK(results[i].error->message.find("NaN") != std::string::npos);
    CHECK(results[i].error->code == 500);
  }
}

TEST_CASE("a vocabulary without any token is an error of the record") {
  World world({"", "", "", ""}, {});
  const GenerateResult result = world.Run(Request({1}));
  REQUIRE(result.error.has_value());
  CHECK(result.error->message.find("no token allowed") != std::string::npos);
}

TEST_CASE("a sequence that can never fit the cache is refused with the option to raise") {
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const FakeTokenizer tokenizer(NumberedWords(), {});
  const auto model = ChainModel({.vocab_size = kVocab}, {}, BackendUnderTest(), context);
  const std::int64_t page =
      model::KvPageBytes(model->spec(), tensor::DType::kBF16, model->backend());
  const auto engine = MakeEngine(*model, tokenizer, {.kv_memory_bytes = 4 * page}, context);
  CHECK(engine->options().kv_memory_bytes == 4 * page);
  const auto fits = [&](std::int64_t max_new) {
    return engine->Admit(Request(Ids(60, 1), [&](auto& p) { p.max_new_tokens = max_new; }));
  };
  CHECK(fits(5).ok());
  const auto refused = fits(6);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("--kv-memory") != std::string::npos);
}

TEST_CASE("options that do not fit the model are refused") {
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const FakeTokenizer tokenizer(NumberedWords(), {});
  const auto model = ChainModel({.vocab_size = kVocab}, {}, BackendUnderTest(), context);
  const auto refusal = [&](const EngineOptions& options) {
    const auto engine = Engine::Create(*model, tokenizer, options, context);
    return engine.ok() ? std::string() : engine.error().message;
  };
  CHECK(refusal({.max_rows = 0}).find("max_rows is 0") != std::string::npos);
  CHECK(refusal({.context_length = 257}).find("the context length is 257") != std::string::npos);
  CHECK(refusal({.kv_memory_bytes = 1}).find("a key-value cache of 1 B is too small") !=
        std::string::npos);
}

TEST_CASE("statistics count what was computed") {
  World world = Random({.max_rows = 2});
  RunAll(world.engine(), {Request(Ids(40, 3)), Request(Ids(40, 3)), Request({1})});
  const EngineStats& stats = world.engine().stats();
  CHECK(stats.prompt_tokens == 40 + 8 + 1);
  CHECK(stats.cached_tokens == 32);
  CHECK(stats.output_tokens == 24);
  CHECK(stats.kv_pages_used == 0);
  CHECK(stats.kv_pages > 0);
  CHECK(stats.running == 0);
  CHECK_FALSE(world.engine().HasWork());
}

}  // namespace
}  // namespace sglrun::engine
