#include "engine/result_room.h"

#include <algorithm>

#include "base/strings.h"
#include "request/generate_result.h"

namespace sglrun::engine {
namespace {

// Characters that a row needs for a token with its logprob, and for a number.
constexpr double kTextOfLogprob = 28;
constexpr double kTextOfNumber = 12;

// More than any record may take, and a million of them can be added.
constexpr std::int64_t kEndless = std::int64_t{1} << 40;

double LogprobBytes(const GenerateRequest& request, const ResultExtent& extent) {
  if (!request.return_logprob) return 0;
  const std::int64_t from_prompt =
      request.logprob_start_len < 0
          ? 0
          : std::max<std::int64_t>(extent.prompt_tokens - request.logprob_start_len, 0);
  const double asked =
      request.token_ids_logprob ? static_cast<double>(request.token_ids_logprob->size()) : 0;
  const double entries =
      1 + static_cast<double>(std::min(request.top_logprobs_num, extent.vocab_size)) + asked;
  return static_cast<double>(from_prompt + extent.max_new_tokens) * entries *
         (sizeof(TokenLogprob) + kTextOfLogprob);
}

double HiddenStateBytes(const GenerateRequest& request, const ResultExtent& extent) {
  if (request.return_hidden_states == HiddenStates::kNone) return 0;
  const std::int64_t rows = request.return_hidden_states == HiddenStates::kLast
                                ? 1
                                : extent.prompt_tokens + extent.max_new_tokens;
  return static_cast<double>(rows) * static_cast<double>(extent.hidden_size) *
         (sizeof(float) + kTextOfNumber);
}

double PromptIdBytes(const GenerateRequest& request, const ResultExtent& extent) {
  if (!request.return_prompt_token_ids) return 0;
  return static_cast<double>(extent.prompt_tokens) * (sizeof(std::int32_t) + kTextOfNumber);
}

double KeptSetBytes(const GenerateRequest& request, const ResultExtent& extent) {
  if (!request.return_sampling_mask) return 0;
  const std::int64_t kept = std::clamp<std::int64_t>(request.sampling->top_k, 0, extent.vocab_size);
  return static_cast<double>(extent.max_new_tokens) * static_cast<double>(kept) *
         (sizeof(std::int32_t) + kTextOfNumber);
}

}  // namespace

std::int64_t MostResultBytes(const GenerateRequest& request, const ResultExtent& extent) {
  const double bytes = LogprobBytes(request, extent) + HiddenStateBytes(request, extent) +
                       PromptIdBytes(request, extent) + KeptSetBytes(request, extent);
  return static_cast<std::int64_t>(std::min(bytes, static_cast<double>(kEndless)));
}

Result<void, RecordError> CheckResultRoom(std::int64_t bytes, std::int64_t room) {
  if (bytes <= room) return {};
  return RecordError{"the results of this record take more than " + FormatByteSize(room) +
                     ", the limit of one record: request fewer logprobs or hidden states, fewer "
                     "samples or fewer tokens"};
}

}  // namespace sglrun::engine
