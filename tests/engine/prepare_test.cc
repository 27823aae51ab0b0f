// What is checked before anything is computed: prompts, lengths, ids, and the memory plan.
#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/result_room.h"
#include "fake_tokenizer.h"

#include <doctest/doctest.h>  // last: its CHECK replaces base/check.h's

namespace sglrun::engine {
namespace {

const PromptLimits kLimits{.context_length = 20, .vocab_size = 50, .hidden_size = 4};

GenerateRequest Ids(std::vector<std::int32_t> ids, SamplingParams params = {}) {
  GenerateRequest request;
  request.input_ids = std::move(ids);
  request.sampling = std::make_shared<SamplingParams>(std::move(params));
  return request;
}

Result<PreparedPrompt, RecordError> Prepare(const GenerateRequest& request) {
  return PreparePrompt(request, NumberedTokenizer(48), kLimits);
}

std::string Message(const GenerateRequest& request) {
  const auto prompt = Prepare(request);
  REQUIRE_FALSE(prompt.ok());
  CHECK(prompt.error().code == 400);
  return prompt.error().param + ": " + prompt.error().message;
}

TEST_CASE("text becomes tokens, ids are used as they are") {
  GenerateRequest request = Ids({});
  request.input_ids.reset();
  request.text = "w5 w7 ";
  CHECK(Prepare(request)->token_ids == std::vector<std::int32_t>{5, 7});
  CHECK(Prepare(Ids({5, 49}))->token_ids == std::vector<std::int32_t>{5, 49});
}

TEST_CASE("empty prompts and ids outside the vocabulary are refused with their place") {
  CHECK(Message(Ids({})) == "input_ids: input_ids is an empty prompt");
  CHECK(Message(Ids({1, 2, 3, 50})) ==
        "input_ids[3]: input_ids[3] is 50, the vocabulary has ids 0 to 49");
  CHECK(Message(Ids({-1})).find("input_ids[0] is -1") != std::string::npos);
  GenerateRequest text = Ids({});
  text.input_ids.reset();
  CHECK(Message(text) == "text: text is an empty prompt");
  text.text = "???";
  CHECK(Message(text) == "text: text is an empty prompt: it has no tokens");
}

TEST_CASE("lengths are exact: n up to C - 1, m up to C - n") {
  const std::vector<std::int32_t> ten(10, 3);
  CHECK(Prepare(Ids(ten))->max_new_tokens == 10);  // the default of 128 is clipped
  SamplingParams params;
  params.max_new_tokens.reset();
  CHECK(Prepare(Ids(ten, params))->max_new_tokens == 10);
  CHECK(Prepare(Ids(std::vector<std::int32_t>(19, 3), params))->max_new_tokens == 1);
  CHECK(
      Message(Ids(std::vector<std::int32_t>(20, 3))).find("20 tokens, the context length is 20") !=
      std::string::npos);
  params.max_new_tokens = 0;  // a prompt that is only scored may fill the context
  CHECK(Prepare(Ids(std::vector<std::int32_t>(20, 3), params))->max_new_tokens == 0);
  CHECK(Message(Ids(std::vector<std::int32_t>(21, 3), params)).find("with max_new_tokens 0 20") !=
        std::string::npos);
  params.max_new_tokens = 11;
  params.max_new_tokens_stated = true;
  const std::string message = Message(Ids(ten, params));
  CHECK(message.find("10 tokens and max_new_tokens is 11") != std::string::npos);
  CHECK(message.starts_with("sampling_params.max_new_tokens"));
  params.max_new_tokens = 10;
  params.min_new_tokens = 10;
  CHECK(Prepare(Ids(ten, params))->max_new_tokens == 10);
  params.max_new_tokens.reset();
  params.min_new_tokens = 15;
  CHECK(Prepare(Ids(ten, params))->min_new_tokens == 10);
}

TEST_CASE("a text beyond all contexts is refused before it is tokenized") {
  GenerateRequest request = Ids({1});
  request.input_ids.reset();
  request.text = std::string((std::size_t{64} << 20) + 1, 'x');
  CHECK(Message(request) == "text: text has 67,108,865 bytes, a prompt may have 67,108,864");
}

TEST_CASE("what a result may take grows with each list that is asked for") {
  SamplingParams params;
  params.max_new_tokens = 6;
  params.top_k = 8;
  GenerateRequest request = Ids({1, 2, 3, 4}, params);
  request.top_logprobs_num = 1000;  // without return_logprob: nothing
  CHECK(Prepare(request)->result_bytes == 0);
  request.return_logprob = true;
  const std::int64_t entry = Prepare(request)->result_bytes / (6 * 51);  // 50 ids, and the token
  CHECK(entry >= static_cast<std::int64_t>(sizeof(TokenLogprob)));
  CHECK(Prepare(request)->result_bytes == 6 * 51 * entry);
  request.logprob_start_len = 1;
  request.token_ids_logprob = std::vector<std::int64_t>(100, 7);
  CHECK(Prepare(request)->result_bytes == (3 + 6) * 151 * entry);
  request.return_logprob = false;
  request.return_hidden_states = HiddenStates::kLast;
  const std::int64_t state = Prepare(request)->result_bytes;
  CHECK(state >= 4 * 4);
  request.return_hidden_states = HiddenStates::kAll;
  CHECK(Prepare(request)->result_bytes == (4 + 6) * state);
  request.return_hidden_states = HiddenStates::kNone;
  request.return_prompt_token_ids = true;
  CHECK(Prepare(request)->result_bytes >= 4 * 4);
  request.return_prompt_token_ids = false;
  request.return_sampling_mask = true;
  CHECK(Prepare(request)->result_bytes >= 6 * 8 * 4);
}

TEST_CASE("a record whose results may take more than one may is refused, whatever is free") {
  CHECK(CheckResultRoom(1000, 1000).ok());
  const auto refused = CheckResultRoom(1001, 1000);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == 400);
  CHECK(CheckResultRoom(kMostResultBytes).ok());
  CHECK_FALSE(CheckResultRoom(kMostResultBytes + 1).ok());
}

TEST_CASE("logprob fields are checked against prompt and vocabulary") {
  GenerateRequest request = Ids({1, 2, 3});
  request.logprob_start_len = 9999;
  CHECK(Prepare(request).ok());  // ignored without return_logprob
  request.return_logprob = true;
  CHECK(Message(request).starts_with("logprob_start_len: "));
  request.logprob_start_len = 3;
  CHECK(Prepare(request).ok());
  request.return_logprob = false;
  request.token_ids_logprob = {{7, 50}};
  CHECK(Message(request).starts_with("token_ids_logprob[1]: token_ids_logprob[1] is 50"));
  request = Ids({1});
  SamplingParams params;
  params.logit_bias = {{50, 1.0f}};
  request.sampling = std::make_shared<SamplingParams>(params);
  CHECK(Message(request).find("logit_bias") != std::string::npos);
}

TEST_CASE("embeddings stand for ids of 1 and must have the model's width") {
  GenerateRequest request = Ids({});
  request.input_ids.reset();
  auto embeds = std::make_shared<EmbeddingRows>(EmbeddingRows{2, 4, std::vector<float>(8)});
  request.input_embeds = embeds;
  CHECK(Prepare(request)->token_ids == std::vector<std::int32_t>{1, 1});
  request.return_logprob = true;
  CHECK(Prepare(request).ok());
  request.logprob_start_len = 0;
  CHECK(Message(request).starts_with("logprob_start_len"));
  embeds->width = 8;
  embeds->rows = 1;
  CHECK(Message(request).find("rows of 8 numbers, the model's hidden size is 4") !=
        std::string::npos);
}

TEST_CASE("a request that no cache of so many pages holds is refused") {
  PreparedPrompt prompt;
  prompt.token_ids.assign(16, 1);
  prompt.max_new_tokens = 17;  // the last of which is never fed
  CHECK(CheckCacheRoom(prompt, 2).ok());
  prompt.max_new_tokens = 18;
  const auto refused = CheckCacheRoom(prompt, 2);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("the key-value cache holds 32") != std::string::npos);
}

TEST_CASE("the memory plan takes what rows need, at most half of what is free") {
  MemoryNeeds needs{.page_bytes = 1000, .max_rows = 4, .context_length = 160};
  needs.available_bytes = 1'000'000;
  CHECK(*PlanPages(needs) == 40);
  needs.available_bytes = 30'000;
  CHECK(*PlanPages(needs) == 15);
  needs.available_bytes = 10'000;
  const auto refused = PlanPages(needs);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().shortage == Shortage::kLeastCache);
  needs.kv_memory_bytes = 3999;
  CHECK(*PlanPages(needs) == 3);
  needs.kv_memory_bytes = 999;
  CHECK_FALSE(PlanPages(needs).ok());
  needs = {.page_bytes = 1, .max_rows = 1 << 30, .context_length = std::int64_t{1} << 40};
  CHECK(*PlanPages(needs) > 0);
}

}  // namespace
}  // namespace sglrun::engine
