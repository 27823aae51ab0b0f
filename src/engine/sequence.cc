#include "engine/sequence.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "engine/engine.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {
namespace {

std::vector<std::int32_t> IdsWithin(std::span<const std::int32_t> ids, std::int64_t vocab_size) {
  std::vector<std::int32_t> within;
  std::ranges::copy_if(ids, std::back_inserter(within),
                       [&](std::int32_t id) { return id < vocab_size; });
  return within;
}

}  // namespace

Sequence::Sequence(GenerateRequest request, std::vector<std::int32_t> prompt, const Limits& limits,
                   StopCriteria stop)
    : gathering(request, static_cast<std::int64_t>(prompt.size())),
      request_(std::move(request)),
      limits_(limits),
      stream_(std::move(prompt), std::move(stop), sampling::HasPenalty(*request_.sampling)) {
  if (request_.token_ids_logprob) {
    for (const std::int64_t id : *request_.token_ids_logprob) {
      asked_ids_.push_back(static_cast<std::int32_t>(id));
    }
  }
  if (limits_.min_new_tokens > 0) {
    rules_.push_back(std::make_unique<BannedEnds>(IdsWithin(stream_.stop_ids(), limits_.vocab_size),
                                                  limits_.min_new_tokens));
  }
  if (!params().logit_bias.empty()) {
    rules_.push_back(std::make_unique<LogitBias>(params().logit_bias));
  }
}

std::int64_t Sequence::max_cached_tokens() const {
  return MostCachedTokens(prompt_size(), limits_.max_new_tokens);
}

std::int64_t Sequence::bytes() const {
  constexpr std::size_t kPieces = 1024;  // of its members on the heap
  std::size_t bytes = sizeof *this + kPieces + request_.rid.size();
  bytes += (tokens().size() + asked_ids_.size()) * sizeof(std::int32_t);
  if (request_.token_ids_logprob) {
    bytes += request_.token_ids_logprob->size() * sizeof(std::int64_t);
  }
  if (request_.input_embeds) bytes += request_.input_embeds->values.size() * sizeof(float);
  for (const std::string& stop : params().stop) bytes += stop.size();
  return static_cast<std::int64_t>(bytes);
}

void Sequence::SetGrammar(std::unique_ptr<GrammarState> grammar) {
  grammar_ = grammar.get();
  rules_.insert(rules_.begin(), std::move(grammar));
}

bool Sequence::rules_prepared() const {
  return std::ranges::all_of(rules_, [](const auto& rule) { return rule->prepared(); });
}

void Sequence::PrepareRules() {
  for (const auto& rule : rules_) rule->Prepare();
}

TokenLimits Sequence::NextLimits() const {
  TokenLimits limits;
  for (const auto& rule : rules_) rule->Limit(limits);
  return limits;
}

void Sequence::Append(std::int32_t token) {
  CHECK(!finish && !failure && generated_size() < limits_.max_new_tokens);
  const bool ends_grammar = grammar_ != nullptr && grammar_->Ends(token);
  auto reason = stream_.Append(token);
  if (!reason.ok()) {
    failure = std::move(reason).error();
    return;
  }
  finish = std::move(reason).value();
  if (ends_grammar && (!finish || finish->kind == FinishReason::Kind::kLength)) {
    finish = FinishReason{.kind = FinishReason::Kind::kStop, .matched = token};
  }
  FollowRules(token, ends_grammar);
}

// Advances the rules, and stores what the result reports about the constraint if the sequence ends
// here.
void Sequence::FollowRules(std::int32_t token, bool ends_grammar) {
  if (grammar_ != nullptr && ends_grammar) {
    const bool unwanted = params().ignore_eos || generated_size() <= limits_.min_new_tokens;
    gathering.result.grammar.emplace() = {
        .complete = true, .forced_end = unwanted && grammar_->next() == GrammarState::Next::kEnd};
    return;
  }
  const bool was_complete = grammar_ != nullptr && grammar_->complete();
  for (const auto& rule : rules_) rule->Accept(token);
  if (grammar_ == nullptr) return;
  // A stop token that is ordinary text is removed from the text, unless no_stop_trim is set.
  const bool is_cut = finish && finish->kind == FinishReason::Kind::kStop &&
                      std::holds_alternative<std::int32_t>(finish->matched) &&
                      !params().no_stop_trim;
  gathering.result.grammar.emplace().complete = is_cut ? was_complete : grammar_->complete();
}

void Sequence::EndByGrammar() {
  if (const std::int32_t end = grammar_->forced_end(); end >= 0) {
    Append(end);
    return;
  }
  finish = FinishReason{.kind = FinishReason::Kind::kStop, .matched = std::string()};
  gathering.result.grammar.emplace().complete = true;
}

bool Sequence::AppendForced(std::int32_t token) {
  if (generated_size() + 1 >= limits_.max_new_tokens || !grammar_->Takes(token) ||
      std::ranges::binary_search(stream_.stop_ids(), token)) {
    return false;
  }
  if (request_.return_logprob) {
    const TokenLimits limits = NextLimits();
    gathering.AddForced({.position = size(),
                         .mask = {limits.mask.begin(), limits.mask.end()},
                         .count_ids = {counts().ids().begin(), counts().ids().end()},
                         .counts = {counts().counts().begin(), counts().counts().end()},
                         .banned = limits.banned});
  }
  Append(token);
  if (request_.return_logprob) grammar_->Prepare();
  return true;
}

void Sequence::FinishScoring() {
  finish = FinishReason{.kind = FinishReason::Kind::kLength};
  if (grammar_ != nullptr) gathering.result.grammar.emplace().complete = grammar_->complete();
}

std::optional<GenerateResult> Sequence::PartialResult() const {
  const std::optional<std::string_view> text = stream_.text_so_far();
  if (!text) return std::nullopt;
  GenerateResult partial;
  partial.ticket = request_.ticket;
  partial.rid = request_.rid;
  partial.text = *text;
  partial.output_ids.assign(generated().begin(), generated().end());
  partial.prompt_tokens = prompt_size();
  partial.cached_tokens = gathering.result.cached_tokens;
  partial.logprobs = gathering.result.logprobs;
  partial.sampling_mask = gathering.result.sampling_mask;
  if (request_.return_prompt_token_ids) {
    partial.prompt_token_ids.emplace(prompt().begin(), prompt().end());
  }
  return partial;
}

// The text after the thoughts satisfies the constraint.
bool Sequence::IsAnswerMember(const tokenizer::Tokenizer& tokenizer) const {
  tokenizer::IncrementalDetokenizer detokenizer(tokenizer, PromptTail(prompt()),
                                                params().skip_special_tokens);
  std::size_t begin = 0;
  for (const std::int32_t token :
       generated().first(static_cast<std::size_t>(grammar_->thinking_tokens()))) {
    begin += detokenizer.Append(token).size();
  }
  return !grammar_->thinks() && begin <= gathering.result.text.size() &&
         grammar_->IsMember(std::string_view(gathering.result.text).substr(begin));
}

// The text is known now: a stop string may have cut it anywhere.
void Sequence::CompleteGrammarResult(const tokenizer::Tokenizer& tokenizer) {
  GrammarResult& grammar = *gathering.result.grammar;
  const auto* matched = std::get_if<std::string>(&finish->matched);
  const bool by_text = finish->kind == FinishReason::Kind::kStop && matched != nullptr &&
                       std::ranges::find(params().stop, *matched) != params().stop.end();
  if (by_text) grammar.complete = IsAnswerMember(tokenizer);
  grammar.relaxed = grammar_->report().relaxed;
  grammar.notes = grammar_->report().notes;
}

GenerateResult Sequence::TakeResult(const tokenizer::Tokenizer& tokenizer) {
  CHECK(finish || failure);
  GenerateResult& result = gathering.result;
  result.ticket = request_.ticket;
  result.rid = std::move(request_.rid);
  result.prompt_tokens = prompt_size();
  result.e2e_latency =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - submitted).count();
  result.output_ids.assign(generated().begin(), generated().end());
  if (failure) {
    result.error = std::move(failure);
    result.text = OutputText(tokenizer, prompt(), generated(), FinishReason(), params());
    return std::move(gathering.result);
  }
  result.text = OutputText(tokenizer, prompt(), generated(), *finish, params());
  if (grammar_ != nullptr) CompleteGrammarResult(tokenizer);
  result.finish_reason = *std::move(finish);
  if (request_.return_prompt_token_ids) {
    result.prompt_token_ids.emplace(prompt().begin(), prompt().end());
  }
  return std::move(gathering.result);
}

}  // namespace sglrun::engine
