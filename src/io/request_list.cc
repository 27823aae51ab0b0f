#include <algorithm>
#include <utility>

#include "io/normalize.h"

namespace sglrun::io {
namespace {

constexpr std::int64_t kHeapBlock = 16;  // of the allocator, for each piece

std::int64_t BytesOf(const std::string& text) {
  return static_cast<std::int64_t>(sizeof text + text.capacity()) + kHeapBlock;
}

template <class T>
std::int64_t BytesOf(const std::vector<T>& values) {
  return static_cast<std::int64_t>(sizeof values + values.capacity() * sizeof(T)) + kHeapBlock;
}

template <class T>
std::int64_t SumOfBytes(const std::vector<T>& values) {
  std::int64_t bytes = 0;
  for (const T& value : values) bytes += BytesOf(value);
  return bytes;
}

}  // namespace

GenerateRequest RequestList::operator[](std::size_t i) const {
  GenerateRequest request = WithoutPrompt(i);
  const std::size_t prompt = i / content_.samples;
  const GenerateReqInput& input = content_.input;
  if (!input.input_ids.values.empty()) {
    request.input_ids = input.input_ids.values[prompt];
  } else if (!input.text.values.empty()) {
    request.text = input.text.values[prompt];
  }
  return request;
}

GenerateRequest RequestList::Take(std::size_t i) {
  GenerateRequest request = WithoutPrompt(i);
  const std::size_t prompt = i / content_.samples;
  GenerateReqInput& input = content_.input;
  if (!input.input_ids.values.empty()) {
    request.input_ids = std::move(input.input_ids.values[prompt]);
  } else if (!input.text.values.empty()) {
    request.text = std::move(input.text.values[prompt]);
  }
  return request;
}

GenerateRequest RequestList::WithoutPrompt(std::size_t i) const {
  const GenerateReqInput& input = content_.input;
  const std::size_t prompt = i / content_.samples;
  GenerateRequest request;
  request.rid = Rid(i);
  if (!input.input_embeds.values.empty()) request.input_embeds = input.input_embeds.values[prompt];
  const std::vector<std::int32_t>& adapters = content_.adapters;
  if (!adapters.empty()) request.adapter = adapters[adapters.size() > 1 ? prompt : 0];
  request.sampling = content_.sampling[content_.sampling.size() > 1 ? prompt : 0];
  request.seed = request.sampling->sampling_seed.has_value()
                     ? static_cast<std::uint64_t>(*request.sampling->sampling_seed)
                     : MixSeeds(content_.seed, prompt);
  request.sample_index = static_cast<std::uint32_t>(i % content_.samples);
  SetLogprobs(prompt, request);
  request.return_hidden_states = HiddenStatesOf(i);
  request.return_prompt_token_ids = input.return_prompt_token_ids;
  request.require_reasoning = input.require_reasoning;
  request.return_sampling_mask = input.return_sampling_mask.ValueOr(prompt, false);
  return request;
}

std::string RequestList::Rid(std::size_t i) const {
  const PerPrompt<std::string>& rid = content_.input.rid;
  const bool is_array = content_.is_array;
  if (!rid.given()) {
    return is_array ? content_.identity.DefaultRid(i) : content_.identity.DefaultRid();
  }
  if (rid.is_list) {
    const std::string& stated = rid.values[i / content_.samples];
    return content_.samples > 1 ? stated + "_" + std::to_string(i % content_.samples) : stated;
  }
  return is_array ? rid.values[0] + "_" + std::to_string(i) : rid.values[0];
}

void RequestList::SetLogprobs(std::size_t prompt, GenerateRequest& request) const {
  const GenerateReqInput& input = content_.input;
  request.return_logprob = input.return_logprob.ValueOr(prompt, false);
  request.top_logprobs_num = input.top_logprobs_num.ValueOr(prompt, 0);
  if (content_.vocab_size > 0) {
    request.top_logprobs_num = std::min(request.top_logprobs_num, content_.vocab_size);
  }
  std::vector<std::int64_t> ids = input.token_ids_logprob.ValueOr(prompt, {});
  if (!ids.empty()) request.token_ids_logprob = std::move(ids);
  request.return_text_in_logprobs = input.return_text_in_logprobs;
  request.token_bytes_in_logprobs = token_bytes_in_logprobs_;
  if (!request.return_logprob) return;
  const std::int64_t otherwise = request.input_embeds ? -1 : content_.logprob_start_len;
  request.logprob_start_len = input.logprob_start_len.ValueOr(prompt, otherwise);
}

HiddenStates RequestList::HiddenStatesOf(std::size_t i) const {
  return content_.input.return_hidden_states.ValueOr(i / content_.samples, HiddenStates::kNone);
}

void RequestList::DropTokenPrompts() {
  content_.input.text = {};
  content_.input.input_ids = {};
}

std::int64_t RequestList::bytes() const {
  const GenerateReqInput& input = content_.input;
  std::int64_t bytes = SumOfBytes(input.text.values) + SumOfBytes(input.input_ids.values) +
                       SumOfBytes(input.rid.values) + SumOfBytes(input.lora_path.values) +
                       SumOfBytes(input.token_ids_logprob.values);
  for (const auto& rows : input.input_embeds.values) bytes += BytesOf(rows->values);
  for (const auto& params : content_.sampling) {
    bytes += static_cast<std::int64_t>(sizeof *params) + SumOfBytes(params->stop) +
             SumOfBytes(params->stop_regex) + BytesOf(params->stop_token_ids) +
             BytesOf(params->logit_bias);
    if (params->constraint) bytes += BytesOf(params->constraint->text);
  }
  return bytes;
}

}  // namespace sglrun::io
