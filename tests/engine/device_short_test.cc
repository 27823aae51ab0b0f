// The loop of a device in few steps, for builds with sanitizers, too (device_loop_test.cc has the
// long cases).
#include "engine_fixture.h"
#include "fake_tokenizer.h"
#include "result_text.h"
#include "simulated_place.h"

namespace sglrun::engine {
namespace {

TEST_CASE("on the device a run can be abandoned while the next pass is running") {
  SimulatedPlace sim;
  const FakeTokenizer tokenizer = NumberedTokenizer(250);
  const auto engine = MakeEngine(*sim.place.model, tokenizer, {.max_rows = 4}, sim.place.context);
  const GenerateRequest request = Request({5, 6, 7}, [](SamplingParams& p) {
    p.max_new_tokens = 7;
    p.ignore_eos = true;
  });
  const std::string expected = ResultText(RunOne(*engine, request));
  engine->Submit(engine->Admit(request).value());
  engine->Submit(engine->Admit(Request({8})).value());
  for (int i = 0; i < 4; ++i) engine->Step();
  engine->CancelAll();
  CHECK_FALSE(engine->HasWork());
  CHECK(engine->Step().empty());
  CHECK(ResultText(RunOne(*engine, request)) == expected);
}

TEST_CASE("on the device a constraint and a drawn text give the tokens of the CPU, in few steps") {
  Place cpu(*kernels::CpuBackend().value());
  SimulatedPlace sim;
  const FakeTokenizer tokenizer = NumberedTokenizer(250);
  GenerateRequest constrained = Request({9, 10}, [](SamplingParams& p) {
    p.max_new_tokens = 3;
    p.constraint = Constraint{ConstraintKind::kRegex, "w17 w4(2|3) w9 "};
  });
  constrained.return_logprob = true;
  GenerateRequest drawn = Request({5, 6, 7}, [](SamplingParams& p) {
    p.max_new_tokens = 4;
    p.top_k = 20;
    p.repetition_penalty = 1.2;
    p.ignore_eos = true;
  });
  drawn.seed = 3;
  std::vector<std::vector<std::int32_t>> tokens[2];
  Place* const places[] = {&cpu, &sim.place};
  for (int i = 0; i < 2; ++i) {
    const auto engine =
        MakeEngine(*places[i]->model, tokenizer, {.max_rows = 4}, places[i]->context);
    for (const GenerateResult& result : RunAll(*engine, {constrained, drawn})) {
      tokens[i].push_back(result.output_ids);
    }
  }
  CHECK(tokens[0][1].size() == 4);
  CHECK(tokens[0] == tokens[1]);
}

}  // namespace
}  // namespace sglrun::engine
