// The loop of a device (engine_impl.h) on the simulated one: forward passes that run ahead of the
// tokens they are fed with, steps replayed as graphs, copies on a stream of their own.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine_fixture.h"
#include "fake_tokenizer.h"
#include "kernels/cuda/sim/stream.h"
#include "many_requests.h"
#include "result_text.h"
#include "simulated_place.h"

namespace sglrun::engine {
namespace {

GenerateRequest Constrained(const std::string& regex, std::vector<std::int32_t> prompt,
                            std::uint64_t seed) {
  GenerateRequest request = Request(std::move(prompt), [&](SamplingParams& p) {
    p.max_new_tokens = 12;
    p.constraint = Constraint{ConstraintKind::kRegex, regex};
    if (seed > 0) p.top_k = 20;
  });
  request.seed = seed;
  return request;
}

// Every kind of wish, among them constraints that leave a choice, force tokens, and end the text.
std::vector<GenerateRequest> Wishes(std::size_t count, std::size_t longest_prompt,
                                    std::int64_t most_tokens) {
  std::vector<GenerateRequest> requests = ManyRequests(250, count);
  for (GenerateRequest& request : requests) {
    std::vector<std::int32_t>& prompt = *request.input_ids;
    prompt.resize(std::min(prompt.size(), longest_prompt));
    const auto size = static_cast<std::int64_t>(prompt.size());
    request.logprob_start_len = std::min(request.logprob_start_len, size);
    auto params = std::make_shared<SamplingParams>(*request.sampling);
    params->max_new_tokens = std::min<std::int64_t>(*params->max_new_tokens, most_tokens);
    request.sampling = std::move(params);
  }
  requests.push_back(Constrained("(w[0-9]+ ){3,5}", {5, 6, 7}, 0));
  requests.push_back(Constrained("w17 w4(2|3) (w1[0-9] ){2}w9 ", {9}, 3));
  requests.push_back(Constrained("w17 w42 w9 (w3 |w4 )", {11, 12}, 4));
  requests.back().return_logprob = true;
  requests.push_back(Constrained("(w2 w3 ){2}", {31}, 0));
  requests.back().return_hidden_states = HiddenStates::kAll;
  return requests;
}

std::vector<std::string> Run(Place& place, EngineOptions options,
                             const std::vector<GenerateRequest>& requests, EngineStats* stats) {
  const FakeTokenizer tokenizer = NumberedTokenizer(250);
  options.kv_dtype = tensor::DType::kBF16;
  const auto engine = MakeEngine(*place.model, tokenizer, options, place.context);
  std::vector<std::string> texts;
  for (const GenerateResult& result : RunAll(*engine, requests)) {
    texts.push_back(ResultText(result));
  }
  if (stats != nullptr) *stats = engine->stats();
  return texts;
}

// Without what has floats: those differ between backends in their last bits.
std::vector<std::string> Tokens(const std::vector<std::string>& texts) {
  std::vector<std::string> tokens;
  for (const std::string& text : texts) tokens.push_back(text.substr(0, text.find("\ninput")));
  for (std::string& text : tokens) text = text.substr(0, text.find("\nhidden"));
  return tokens;
}

void CheckEqual(const std::vector<std::string>& texts, const std::vector<std::string>& expected) {
  REQUIRE(texts.size() == expected.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO("request ", i);
    CHECK(texts[i] == expected[i]);
  }
}

TEST_CASE("on the device all kinds of requests give the tokens of the CPU") {
  Place cpu(*kernels::CpuBackend().value());
  SimulatedPlace sim;
  auto requests = Wishes(14, 40, 9);
  for (GenerateRequest& request : requests) request.return_sampling_mask = false;
  const EngineOptions options{.max_rows = 8, .max_batch_tokens = 64};
  EngineStats on_cpu, on_sim;
  const auto expected = Tokens(Run(cpu, options, requests, &on_cpu));
  CheckEqual(Tokens(Run(sim.place, options, requests, &on_sim)), expected);
  CHECK(on_cpu.output_tokens == on_sim.output_tokens);
  CHECK(sim.replays() > 5);
}

TEST_CASE("on the device sequences that outgrow the cache are preempted and lose nothing") {
  Place cpu(*kernels::CpuBackend().value());
  SimulatedPlace sim;
  std::vector<GenerateRequest> requests;
  for (std::int32_t i = 0; i < 3; ++i) {
    requests.push_back(Request({5, 6 + i}, [](SamplingParams& p) {
      p.max_new_tokens = 35;
      p.ignore_eos = true;
      p.repetition_penalty = 1.2;
    }));
  }
  EngineOptions options{.max_rows = 4, .max_batch_tokens = 64};
  const auto expected = Tokens(Run(cpu, options, requests, nullptr));
  options.kv_memory_bytes = sim.place.PagesBytes(6);
  EngineStats stats;
  CheckEqual(Tokens(Run(sim.place, options, requests, &stats)), expected);
  CHECK(stats.preemptions > 0);
}

TEST_CASE("on the device a result has the same bits in twenty orders of the streams") {
  SimulatedPlace sim;
  const auto requests = Wishes(4, 8, 4);
  const EngineOptions options{.max_rows = 6, .max_batch_tokens = 64, .jump_forward = true};
  // One after the other: what runs ahead has no row of another sequence.
  EngineOptions alone = options;
  alone.max_rows = 1;
  const auto expected = Run(sim.place, alone, requests, nullptr);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    sim::SetStreamSeed(seed);
    CheckEqual(Run(sim.place, options, requests, nullptr), expected);
  }
}

}  // namespace
}  // namespace sglrun::engine
