// Cases of golden.json: what a model gives for a prompt, and the comparison with what the reference
// gave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/model_runner.h"

namespace sglrun::model {

// The object of golden.json in a folder of tests/golden.
Json ReadGolden(const std::string& folder);
std::vector<std::int32_t> Ids(const Json& list);

// One logits row after every token of prompt and answer but the last: the prompt in one step, the
// answer token by token, each token chosen greedily.
struct Answer {
  std::vector<std::vector<float>> hidden;         // of the prompt
  std::vector<std::vector<float>> prompt_logits;  // one row a prompt token
  std::vector<std::int32_t> output_ids;
  std::vector<double> output_logprobs;
};

Answer Generate(Model& model, const std::vector<std::int32_t>& prompt, std::size_t count,
                tensor::DType kv_dtype, std::int32_t adapter = kNoAdapter);

std::vector<std::int32_t> ArgMaxes(const Answer& answer);
// Fail where a value differs by `tolerance` or more.
void CheckLogprobs(const Json& golden, const Answer& answer, double tolerance);
// Of a case: the most likely token at each position, the answer, the logprobs.
void CheckCase(Model& model, const Json& golden, double tolerance,
               std::int32_t adapter = kNoAdapter);

}  // namespace sglrun::model
