#include "golden/model_cases.h"

#include <algorithm>
#include <cmath>

#include "base/mapped_file.h"

#include <doctest/doctest.h>

namespace sglrun::model {

std::vector<std::int32_t> Ids(const Json& list) {
  std::vector<std::int32_t> ids;
  for (const Json& id : list.as_array()) ids.push_back(static_cast<std::int32_t>(id.as_int()));
  return ids;
}

Json ReadGolden(const std::string& folder) {
  const auto text =
      ReadFile(std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/" + folder + "/golden.json");
  REQUIRE(text.ok());
  auto parsed = ParseJson(*text);
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

Answer Generate(Model& model, const std::vector<std::int32_t>& prompt, std::size_t count,
                tensor::DType kv_dtype, std::int32_t adapter) {
  ModelRunner runner(model, 1, static_cast<int>(prompt.size() + count), kv_dtype);
  runner.SetAdapter(0, adapter);
  Answer answer;
  answer.hidden = runner.Prefill(0, prompt);
  for (const auto& row : answer.hidden) answer.prompt_logits.push_back(runner.Logits(row, adapter));
  std::vector<float> logits = answer.prompt_logits.back();
  while (true) {
    const std::int32_t token = ArgMax(logits);
    answer.output_ids.push_back(token);
    answer.output_logprobs.push_back(LogProbability(logits, token));
    if (answer.output_ids.size() == count) return answer;
    logits = runner.Logits(runner.Step({{0, {token}, {0}}})[0], adapter);
  }
}

void CheckLogprobs(const Json& golden, const Answer& answer, double tolerance) {
  const std::vector<std::int32_t> prompt = Ids(*golden.Find("input_ids"));
  const Json::Array& input = golden.Find("input_logprobs")->as_array();
  double worst = 0;
  for (std::size_t i = 1; i < prompt.size(); ++i) {
    worst = std::max(worst, std::fabs(input[i].as_double() -
                                      LogProbability(answer.prompt_logits[i - 1], prompt[i])));
  }
  const Json::Array& output = golden.Find("output_logprobs")->as_array();
  for (std::size_t i = 0; i < output.size(); ++i) {
    worst = std::max(worst, std::fabs(output[i].as_double() - answer.output_logprobs[i]));
  }
  CHECK(worst < tolerance);
}

std::vector<std::int32_t> ArgMaxes(const Answer& answer) {
  std::vector<std::int32_t> ids;
  for (const auto& logits : answer.prompt_logits) ids.push_back(ArgMax(logits));
  return ids;
}

void CheckCase(Model& model, const Json& golden, double tolerance, std::int32_t adapter) {
  const std::vector<std::int32_t> expected = Ids(*golden.Find("output_ids"));
  const Answer answer = Generate(model, Ids(*golden.Find("input_ids")), expected.size(),
                                 tensor::DType::kF32, adapter);
  CHECK(ArgMaxes(answer) == Ids(*golden.Find("argmax")));
  CHECK(answer.output_ids == expected);
  CheckLogprobs(golden, answer, tolerance);
}

}  // namespace sglrun::model
