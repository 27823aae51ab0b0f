#include "engine/sequence.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/engine.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

void TokenCounts::Add(std::int32_t token) {
  const auto [place, is_new] = place_.try_emplace(token, ids_.size());
  if (is_new) {
    ids_.push_back(token);
    counts_.push_back(0);
  }
  ++counts_[place->second];
}

Sequence::Sequence(GenerateRequest request, std::vector<std::int32_t> prompt, const Limits& limits,
                   StopCriteria stop)
    : request_(std::move(request)),
      tokens_(std::move(prompt)),
      prompt_size_(static_cast<std::int64_t>(tokens_.size())),
      limits_(limits),
      stop_(std::move(stop)),
      has_penalty_(sampling::HasPenalty(*request_.sampling)) {
  CHECK(prompt_size_ > 0);
  if (limits_.min_new_tokens > 0) {
    for (const std::int32_t id : stop_.stop_ids()) {
      if (id < limits_.vocab_size) banned_.push_back(id);
    }
  }
  if (request_.token_ids_logprob) {
    for (const std::int64_t id : *request_.token_ids_logprob) {
      asked_ids_.push_back(static_cast<std::int32_t>(id));
    }
  }
  if (request_.return_logprob && request_.logprob_start_len >= 0) {
    next_logprob_row_ = request_.logprob_start_len;
  }
  if (request_.return_hidden_states != HiddenStates::kNone) {
    result.hidden_states.emplace();
    result.hidden_states->last_only = request_.return_hidden_states == HiddenStates::kLast;
  }
  if (request_.return_sampling_mask) result.sampling_mask.emplace();
}

std::int64_t Sequence::max_cached_tokens() const {
  return MostCachedTokens(prompt_size_, limits_.max_new_tokens);
}

std::int64_t Sequence::first_wanted_row() const {
  std::int64_t first = size() - 1;
  if (request_.return_hidden_states == HiddenStates::kAll) first = std::min(first, hidden_rows_);
  if (next_logprob_row_ >= 0 && next_logprob_row_ + 1 < prompt_size_) {
    first = std::min(first, next_logprob_row_);
  }
  if (!forced_tokens_.empty()) first = std::min(first, forced_tokens_.front().position - 1);
  return first;
}

void Sequence::RecordHiddenRow(std::int64_t position, std::span<const float> state) {
  HiddenStateResult& states = *result.hidden_states;
  states.width = static_cast<std::int64_t>(state.size());
  if (states.last_only) {
    states.values.assign(state.begin(), state.end());
    return;
  }
  CHECK(position == hidden_rows_) << "row " << position << " after " << hidden_rows_ << " rows";
  if (position == 0) states.values.reserve(tokens_.size() * state.size());
  states.values.insert(states.values.end(), state.begin(), state.end());
  ++hidden_rows_;
  states.prompt_rows = std::min(hidden_rows_, prompt_size_);
}

std::span<const std::int32_t> Sequence::banned() const {
  if (generated_size() >= limits_.min_new_tokens) return {};
  if (grammar_ && grammar_->next() == GrammarState::Next::kEnd) return {};
  return banned_;
}

void Sequence::Append(std::int32_t token) {
  CHECK(!finish && !failure && generated_size() < limits_.max_new_tokens);
  tokens_.push_back(token);
  if (has_penalty_) counts_.Add(token);
  if (detokenizer_) text_ += detokenizer_->Append(token);
  const bool ends_grammar = grammar_ && grammar_->Ends(token);
  auto reason = stop_.Append(token, generated_size());
  if (!reason.ok()) {
    failure = std::move(reason).error();
    return;
  }
  finish = std::move(reason).value();
  if (ends_grammar && (!finish || finish->kind == FinishReason::Kind::kLength)) {
    finish = FinishReason{.kind = FinishReason::Kind::kStop, .matched = token};
  }
  if (grammar_) FollowGrammar(token, ends_grammar);
}

// Keeps the constraint's state and, at the end, what the result says about it.
void Sequence::FollowGrammar(std::int32_t token, bool ends) {
  GrammarResult& told = result.grammar.emplace();
  if (ends) {
    const bool unwanted = params().ignore_eos || generated_size() <= limits_.min_new_tokens;
    told.forced_end = unwanted && grammar_->next() == GrammarState::Next::kEnd;
    told.complete = true;
    return;
  }
  // A stop token of ordinary text is cut off the text, unless it is to stay.
  const bool is_cut = finish && finish->kind == FinishReason::Kind::kStop &&
                      std::holds_alternative<std::int32_t>(finish->matched) &&
                      !params().no_stop_trim;
  const bool was_complete = grammar_->complete();
  grammar_->Accept(token);
  told.complete = is_cut ? was_complete : grammar_->complete();
}

void Sequence::EndByGrammar() {
  if (const std::int32_t end = grammar_->forced_end(); end >= 0) {
    Append(end);
    return;
  }
  finish = FinishReason{.kind = FinishReason::Kind::kStop, .matched = std::string()};
  result.grammar.emplace().complete = true;
}

bool Sequence::AppendForced(std::int32_t token) {
  if (generated_size() + 1 >= limits_.max_new_tokens || !grammar_->Takes(token) ||
      std::ranges::binary_search(stop_.stop_ids(), token)) {
    return false;
  }
  if (request_.return_logprob) {
    const auto mask = grammar_->mask();
    forced_tokens_.push_back({.position = size(),
                              .mask = {mask.begin(), mask.end()},
                              .count_ids = {counts_.ids().begin(), counts_.ids().end()},
                              .counts = {counts_.counts().begin(), counts_.counts().end()},
                              .banned = banned()});
  }
  Append(token);
  if (request_.return_logprob) grammar_->Prepare();
  return true;
}

void Sequence::FinishScoring() {
  finish = FinishReason{.kind = FinishReason::Kind::kLength};
  if (grammar_) result.grammar.emplace().complete = grammar_->complete();
}

void Sequence::KeepText(const tokenizer::Tokenizer& tokenizer) {
  detokenizer_.emplace(tokenizer, PromptTail(prompt()), params().skip_special_tokens);
}

std::optional<GenerateResult> Sequence::PartialResult() const {
  CHECK(detokenizer_.has_value());
  if (stop_.MayBeginStop()) return std::nullopt;
  GenerateResult partial;
  partial.ticket = request_.ticket;
  partial.rid = request_.rid;
  partial.text = text_;
  partial.output_ids.assign(generated().begin(), generated().end());
  partial.prompt_tokens = prompt_size_;
  partial.cached_tokens = result.cached_tokens;
  partial.logprobs = result.logprobs;
  partial.sampling_mask = result.sampling_mask;
  if (request_.return_prompt_token_ids) {
    partial.prompt_token_ids.emplace(prompt().begin(), prompt().end());
  }
  return partial;
}

// The text behind the thoughts is a member.
bool Sequence::IsAnswerMember(const tokenizer::Tokenizer& tokenizer) const {
  tokenizer::IncrementalDetokenizer detokenizer(tokenizer, PromptTail(prompt()),
                                                params().skip_special_tokens);
  std::size_t begin = 0;
  for (const std::int32_t token :
       generated().first(static_cast<std::size_t>(grammar_->thinking_tokens()))) {
    begin += detokenizer.Append(token).size();
  }
  return !grammar_->thinks() && begin <= result.text.size() &&
         grammar_->IsMember(std::string_view(result.text).substr(begin));
}

// The text is known now: a stop string may have cut it anywhere.
void Sequence::TellGrammar(const tokenizer::Tokenizer& tokenizer) {
  GrammarResult& told = *result.grammar;
  const auto* matched = std::get_if<std::string>(&finish->matched);
  const bool by_text = finish->kind == FinishReason::Kind::kStop && matched != nullptr &&
                       std::ranges::find(params().stop, *matched) != params().stop.end();
  if (by_text) told.complete = IsAnswerMember(tokenizer);
  told.relaxed = grammar_->report().relaxed;
  told.notes = grammar_->report().notes;
}

GenerateResult Sequence::TakeResult(const tokenizer::Tokenizer& tokenizer) {
  CHECK(finish || failure);
  result.ticket = request_.ticket;
  result.rid = std::move(request_.rid);
  result.prompt_tokens = prompt_size_;
  result.e2e_latency =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - submitted).count();
  if (failure) {
    result.error = std::move(failure);
    return std::move(result);
  }
  result.output_ids.assign(generated().begin(), generated().end());
  result.text = OutputText(tokenizer, prompt(), generated(), *finish, params());
  if (grammar_) TellGrammar(tokenizer);
  result.finish_reason = *std::move(finish);
  if (request_.return_prompt_token_ids) {
    result.prompt_token_ids.emplace(prompt().begin(), prompt().end());
  }
  return std::move(result);
}

}  // namespace sglrun::engine
