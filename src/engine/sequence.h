// One request on its way: prompt and generated tokens, what the scheduler holds for it, when it
// stops, and the result as far as it is known.
//
// A sequence feeds tokens [computed, tokens.size()) to the model; when all are computed, the row of
// the last one gives the next token. Prefill, decode and recomputation after a preemption are this
// one rule.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/block_manager.h"
#include "engine/grammar_state.h"
#include "engine/stop_criteria.h"
#include "request/generate_request.h"
#include "request/generate_result.h"

namespace sglrun::engine {

// How often each token was generated, as the flat lists that penalties read.
class TokenCounts {
 public:
  void Add(std::int32_t token);
  std::span<const std::int32_t> ids() const { return ids_; }
  std::span<const std::int32_t> counts() const { return counts_; }

 private:
  std::vector<std::int32_t> ids_, counts_;
  std::unordered_map<std::int32_t, std::size_t> place_;
};

class Sequence {
 public:
  struct Limits {
    std::int64_t max_new_tokens = 0;
    std::int64_t min_new_tokens = 0;
    std::int32_t top_logprobs = 0;  // clipped to the vocabulary
    std::int64_t vocab_size = 0;    // width of the logits
    std::int64_t result_bytes = 0;  // of its result, at most (result_room.h)
  };
  Sequence(GenerateRequest request, std::vector<std::int32_t> prompt, const Limits& limits,
           StopCriteria stop);

  const GenerateRequest& request() const { return request_; }
  const SamplingParams& params() const { return *request_.sampling; }
  const Limits& limits() const { return limits_; }
  std::span<const std::int32_t> tokens() const { return tokens_; }  // prompt, then generated
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::int64_t prompt_size() const { return prompt_size_; }
  std::int64_t generated_size() const { return size() - prompt_size_; }
  std::span<const std::int32_t> prompt() const {
    return tokens().first(static_cast<std::size_t>(prompt_size_));
  }
  std::span<const std::int32_t> generated() const {
    return tokens().subspan(static_cast<std::size_t>(prompt_size_));
  }
  std::span<const std::int32_t> asked_ids() const { return asked_ids_; }  // token_ids_logprob
  // The most tokens it can ever have in the cache: the last generated one is never fed.
  std::int64_t max_cached_tokens() const;

  // Prompts of embeddings have stand-in ids: equal ids do not mean equal content.
  bool shares_pages() const { return request_.input_embeds == nullptr; }

  // Output rows [first_wanted_row(), size()) of the model are still wanted; the last one always is.
  std::int64_t first_wanted_row() const;
  bool wants_hidden_row(std::int64_t position) const {
    if (request_.return_hidden_states == HiddenStates::kLast) return position == size() - 1;
    return request_.return_hidden_states == HiddenStates::kAll && position >= hidden_rows_;
  }
  bool wants_prompt_logprob_row(std::int64_t position) const {
    return next_logprob_row_ >= 0 && position >= next_logprob_row_ && position + 1 < prompt_size_;
  }
  // The state after the final norm of a position that was fed; rows come in order.
  void RecordHiddenRow(std::int64_t position, std::span<const float> state);
  void PromptLogprobRecorded(std::int64_t position) { next_logprob_row_ = position + 1; }

  // Its constraint, nullptr when it has none.
  GrammarState* grammar() const { return grammar_.get(); }
  void SetGrammar(std::unique_ptr<GrammarState> grammar) { grammar_ = std::move(grammar); }
  // The token comes without a draw, and nobody asks how likely it was.
  bool TakesForcedTokens() const {
    return grammar_ != nullptr && limits_.max_new_tokens > 0 && !request_.return_logprob &&
           !request_.return_sampling_mask;
  }
  // Ends a complete text after which nothing can come, without computing anything.
  void EndByGrammar();

  // Several tokens may be taken at once where the constraint forces their text. Not where a stop
  // string could end the text among them, and not where the kept set of each draw is asked for.
  bool JumpsForward() const {
    return grammar_ != nullptr && limits_.max_new_tokens > 0 && params().stop.empty() &&
           params().stop_regex.empty() && !request_.return_sampling_mask;
  }
  // A token that is taken without a draw and whose row is computed later, with the next ones. False
  // when it could end the sequence: whatever ends one is drawn.
  bool AppendForced(std::int32_t token);

  // A forced token whose logprob is asked for, and what its row would have been drawn with.
  struct ForcedToken {
    std::int64_t position = 0;  // in tokens()
    std::vector<std::uint32_t> mask;
    std::vector<std::int32_t> count_ids, counts;
    std::span<const std::int32_t> banned;
  };
  // The one that the row of `position` tells of, nullptr for none.
  const ForcedToken* ForcedBehind(std::int64_t position) const {
    const bool is_next = !forced_tokens_.empty() && forced_tokens_.front().position == position + 1;
    return is_next ? &forced_tokens_.front() : nullptr;
  }
  void ForcedTokenRecorded() { forced_tokens_.pop_front(); }

  const TokenCounts& counts() const { return counts_; }
  // Tokens min_new_tokens forbids for the next draw.
  std::span<const std::int32_t> banned() const;
  // Takes the sampled token; sets `finish` or `failure` when it was the last.
  void Append(std::int32_t token);
  // Ends a sequence that generates nothing (max_new_tokens 0).
  void FinishScoring();

  // From now on the text is decoded token by token, for PartialResult.
  void KeepText(const tokenizer::Tokenizer& tokenizer);
  // What a sequence that goes on has so far: whole characters only, hidden states left out. Nothing
  // while the end of the text could become a stop string, which the final text does not hold.
  std::optional<GenerateResult> PartialResult() const;

  // The result of a finished or failed sequence.
  GenerateResult TakeResult(const tokenizer::Tokenizer& tokenizer);

  // Kept by the scheduler.
  std::uint64_t order = 0;     // of submission
  std::int64_t computed = 0;   // tokens whose keys and values are in the cache
  std::int64_t scheduled = 0;  // tokens of the step being planned
  std::vector<PageId> pages;   // block table
  bool was_admitted = false;   // cached_tokens is known
  // While a step is planned ahead: the row of the unread draw that gives the next token; -1: none.
  std::int32_t drawn_row = -1;

  // Kept by the engine.
  std::chrono::steady_clock::time_point submitted;
  std::optional<FinishReason> finish;
  std::optional<RecordError> failure;
  bool has_ended() const { return finish || failure; }
  GenerateResult result;  // logprobs, masks, cached_tokens while they come in

 private:
  void FollowGrammar(std::int32_t token, bool ends);
  void TellGrammar(const tokenizer::Tokenizer& tokenizer);
  bool IsAnswerMember(const tokenizer::Tokenizer& tokenizer) const;

  GenerateRequest request_;
  std::vector<std::int32_t> tokens_;
  std::int64_t prompt_size_;
  Limits limits_;
  StopCriteria stop_;
  std::vector<std::int32_t> asked_ids_;
  std::vector<std::int32_t> banned_;  // stop ids that the vocabulary has
  bool has_penalty_;
  TokenCounts counts_;
  std::unique_ptr<GrammarState> grammar_;
  std::deque<ForcedToken> forced_tokens_;                         // whose rows are not computed yet
  std::optional<tokenizer::IncrementalDetokenizer> detokenizer_;  // of KeepText
  std::string text_;
  std::int64_t hidden_rows_ = 0;        // rows of kAll recorded so far
  std::int64_t next_logprob_row_ = -1;  // next row whose prompt logprob is wanted, -1: none
};

}  // namespace sglrun::engine
