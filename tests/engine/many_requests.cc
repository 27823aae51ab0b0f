#include "many_requests.h"

#include <random>

#include "engine_fixture.h"

namespace sglrun::engine {

std::vector<GenerateRequest> ManyRequests(std::int32_t vocab, std::size_t count) {
  std::mt19937 random(11);
  const auto token = [&] { return static_cast<std::int32_t>(2 + random() % (vocab - 2)); };
  std::vector<std::int32_t> common;
  for (int i = 0; i < 70; ++i) common.push_back(token());
  std::vector<GenerateRequest> requests;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> prompt(common.begin(), common.begin() + (i % 3) * 35);
    for (auto more = 1 + random() % 40; more > 0; --more) prompt.push_back(token());
    if (i % 8 == 1) prompt = *requests.back().input_ids;  // samples of one prompt
    GenerateRequest request = Request(prompt, [&](SamplingParams& p) {
      p.max_new_tokens = static_cast<std::int64_t>(i % 7 == 0 ? 0 : 5 + random() % 95);
      p.top_k = i % 2 == 0 ? 1 : 20;
      p.temperature = 0.8;
      p.top_p = i % 3 == 0 ? 0.9 : 1.0;
      p.frequency_penalty = i % 5 == 0 ? 0.5 : 0.0;
      p.repetition_penalty = i % 5 == 1 ? 1.2 : 1.0;
      p.ignore_eos = i % 4 != 0;
      if (i % 6 == 0) p.stop_regex = {"w1\\d w"};
      if (i % 9 == 0) p.min_new_tokens = 2;
    });
    request.seed = i / 2;
    request.sample_index = static_cast<std::uint32_t>(i % 2);
    request.return_logprob = i % 3 == 0;
    request.logprob_start_len = i % 6 == 0 ? static_cast<std::int64_t>(i % 5) * 8 : -1;
    if (request.logprob_start_len > static_cast<std::int64_t>(prompt.size())) {
      request.logprob_start_len = static_cast<std::int64_t>(prompt.size());
    }
    request.top_logprobs_num = static_cast<std::int64_t>(i % 4);
    if (i % 12 == 0) request.token_ids_logprob = {{5, 3, 5}};
    request.return_hidden_states = i % 5 == 2   ? HiddenStates::kAll
                                   : i % 5 == 3 ? HiddenStates::kLast
                                                : HiddenStates::kNone;
    request.return_sampling_mask = i % 10 == 5;
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace sglrun::engine
