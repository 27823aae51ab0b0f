#include "engine/gathering.h"

#include <algorithm>

#include "base/check.h"

namespace sglrun::engine {

Gathering::Gathering(const GenerateRequest& request, std::int64_t prompt_size)
    : hidden_states_(request.return_hidden_states), prompt_size_(prompt_size) {
  if (request.return_logprob && request.logprob_start_len >= 0) {
    next_logprob_row_ = request.logprob_start_len;
  }
  if (hidden_states_ != HiddenStates::kNone) {
    result.hidden_states.emplace().last_only = hidden_states_ == HiddenStates::kLast;
  }
  if (request.return_sampling_mask) result.sampling_mask.emplace();
}

std::int64_t Gathering::FirstWantedRow(std::int64_t size) const {
  std::int64_t first = size - 1;
  if (hidden_states_ == HiddenStates::kAll) first = std::min(first, hidden_rows_);
  if (next_logprob_row_ >= 0 && next_logprob_row_ + 1 < prompt_size_) {
    first = std::min(first, next_logprob_row_);
  }
  if (!forced_.empty()) first = std::min(first, forced_.front().position - 1);
  return first;
}

bool Gathering::WantsHiddenRow(std::int64_t position, std::int64_t size) const {
  if (hidden_states_ == HiddenStates::kLast) return position == size - 1;
  return hidden_states_ == HiddenStates::kAll && position >= hidden_rows_;
}

void Gathering::RecordHiddenRow(std::int64_t position, std::span<const float> state,
                                std::int64_t size) {
  HiddenStateResult& states = *result.hidden_states;
  states.width = static_cast<std::int64_t>(state.size());
  if (states.last_only) {
    states.values.assign(state.begin(), state.end());
    return;
  }
  CHECK(position == hidden_rows_) << "row " << position << " after " << hidden_rows_ << " rows";
  if (position == 0) states.values.reserve(static_cast<std::size_t>(size) * state.size());
  states.values.insert(states.values.end(), state.begin(), state.end());
  ++hidden_rows_;
  states.prompt_rows = std::min(hidden_rows_, prompt_size_);
}

}  // namespace sglrun::engine
