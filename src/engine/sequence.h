// One request in the engine. A sequence has these parts, each with one owner: the request (const),
// the tokens with their stop rules, its state in the cache (scheduler), the collected outputs, and
// the rules that limit its next token.
//
// A sequence feeds tokens [computed, size()) to the model; when all are computed, the row of the
// last one gives the next token. Prefill, decode and recomputation after a preemption are this one
// rule.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache_hold.h"
#include "engine/gathering.h"
#include "engine/grammar_state.h"
#include "engine/stop_criteria.h"
#include "engine/token_rule.h"
#include "engine/token_stream.h"
#include "request/generate_request.h"
#include "request/generate_result.h"

namespace sglrun::engine {

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

  // The request.
  const GenerateRequest& request() const { return request_; }
  const SamplingParams& params() const { return *request_.sampling; }
  const Limits& limits() const { return limits_; }
  std::span<const std::int32_t> asked_ids() const { return asked_ids_; }  // token_ids_logprob
  // The most tokens it can ever have in the cache: the last generated one is never fed.
  std::int64_t max_cached_tokens() const;
  // What it holds before it runs, in bytes, except its constraint.
  std::int64_t bytes() const;
  // Prompts of embeddings have stand-in ids: equal ids do not mean equal content.
  bool shares_pages() const { return request_.input_embeds == nullptr; }

  // Its tokens.
  std::span<const std::int32_t> tokens() const { return stream_.all(); }  // prompt, then generated
  std::int64_t size() const { return stream_.size(); }
  std::int64_t prompt_size() const { return stream_.prompt_size(); }
  std::int64_t generated_size() const { return stream_.generated_size(); }
  std::span<const std::int32_t> prompt() const { return stream_.prompt(); }
  std::span<const std::int32_t> generated() const { return stream_.generated(); }
  const TokenCounts& counts() const { return stream_.counts(); }

  // Output rows [first_wanted_row(), size()) of the model are still needed; the last one always is.
  std::int64_t first_wanted_row() const { return gathering.FirstWantedRow(size()); }

  // The rules of its next token. Threads may prepare those of different sequences at once;
  // NextLimits() combines the prepared rules.
  bool rules_prepared() const;
  void PrepareRules();
  TokenLimits NextLimits() const;

  // Its constraint, nullptr when it has none.
  GrammarState* grammar() const { return grammar_; }
  void SetGrammar(std::unique_ptr<GrammarState> grammar);
  // The token is appended without a draw, and its logprob is not requested.
  bool TakesForcedTokens() const {
    return grammar_ != nullptr && limits_.max_new_tokens > 0 && !request_.return_logprob &&
           !request_.return_sampling_mask;
  }
  // Ends a complete text to which nothing can be added, without computing anything.
  void EndByGrammar();

  // Whether several tokens may be appended at once if the constraint forces their text. False if a
  // stop string could end the text between them, or if the kept set of each draw is requested.
  bool JumpsForward() const {
    return grammar_ != nullptr && limits_.max_new_tokens > 0 && params().stop.empty() &&
           params().stop_regex.empty() && !request_.return_sampling_mask;
  }
  // Appends a token without a draw; its row is computed later with the next ones. False if it could
  // end the sequence: tokens that end a sequence are always drawn.
  bool AppendForced(std::int32_t token);

  // Takes the sampled token; sets `finish` or `failure` when it was the last.
  void Append(std::int32_t token);
  // Ends a sequence that generates nothing (max_new_tokens 0).
  void FinishScoring();

  // From now on the text is decoded token by token, for PartialResult.
  void KeepText(const tokenizer::Tokenizer& tokenizer) {
    stream_.KeepText(tokenizer, params().skip_special_tokens);
  }
  // The partial result of an unfinished sequence: whole characters only, without hidden states.
  // Nothing while the end of the text could become a stop string, which the final text will not
  // contain.
  std::optional<GenerateResult> PartialResult() const;

  // The result of a finished or failed sequence.
  GenerateResult TakeResult(const tokenizer::Tokenizer& tokenizer);

  CacheHold cache;      // the scheduler's
  Gathering gathering;  // the engine's

  // Set by the engine.
  std::chrono::steady_clock::time_point submitted;
  std::optional<FinishReason> finish;
  std::optional<RecordError> failure;
  bool has_ended() const { return finish || failure; }

 private:
  void FollowRules(std::int32_t token, bool ends_grammar);
  void CompleteGrammarResult(const tokenizer::Tokenizer& tokenizer);
  bool IsAnswerMember(const tokenizer::Tokenizer& tokenizer) const;

  GenerateRequest request_;
  Limits limits_;
  TokenStream stream_;
  std::vector<std::int32_t> asked_ids_;
  std::vector<std::unique_ptr<TokenRule>> rules_;  // the constraint first
  GrammarState* grammar_ = nullptr;                // among the rules
};

}  // namespace sglrun::engine
