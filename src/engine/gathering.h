// Collects the outputs that a request needs in addition to its text: hidden states, logprobs of the
// prompt and of forced tokens.
//
// Each comes from rows of the model's output. A row is needed until it has been recorded, so a
// sequence that is computed again after a preemption records no row twice.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "request/generate_request.h"
#include "request/generate_result.h"

namespace sglrun::engine {

// A token that was appended without a draw and whose logprob is requested, with the parameters of
// the draw that it replaces.
struct ForcedToken {
  std::int64_t position = 0;  // of the token in the sequence
  std::vector<std::uint32_t> mask;
  std::vector<std::int32_t> count_ids, counts;
  std::span<const std::int32_t> banned;
};

class Gathering {
 public:
  Gathering(const GenerateRequest& request, std::int64_t prompt_size);

  // The first needed row of a sequence of `size` tokens; the last row is always needed.
  std::int64_t FirstWantedRow(std::int64_t size) const;

  // Whether a sequence of `size` tokens needs the hidden state of the row. Rows are recorded in
  // order.
  bool WantsHiddenRow(std::int64_t position, std::int64_t size) const;
  void RecordHiddenRow(std::int64_t position, std::span<const float> state, std::int64_t size);

  // The row gives the logprob of the prompt token that follows it.
  bool WantsPromptLogprob(std::int64_t position) const {
    return next_logprob_row_ >= 0 && position >= next_logprob_row_ && position + 1 < prompt_size_;
  }
  void PromptLogprobRecorded(std::int64_t position) { next_logprob_row_ = position + 1; }

  void AddForced(ForcedToken token) { forced_.push_back(std::move(token)); }
  // The forced token that the row of `position` gives the logprob of; nullptr for none.
  const ForcedToken* ForcedAfter(std::int64_t position) const {
    const bool is_next = !forced_.empty() && forced_.front().position == position + 1;
    return is_next ? &forced_.front() : nullptr;
  }
  void ForcedTokenRecorded() { forced_.pop_front(); }

  GenerateResult result;  // what is known so far

 private:
  HiddenStates hidden_states_;
  std::int64_t prompt_size_;
  std::int64_t hidden_rows_ = 0;        // rows of kAll that were recorded
  std::int64_t next_logprob_row_ = -1;  // next row whose prompt logprob is wanted, -1: none
  std::deque<ForcedToken> forced_;      // whose rows are not computed yet
};

}  // namespace sglrun::engine
