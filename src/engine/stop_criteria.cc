#include "engine/stop_criteria.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/utf8.h"

namespace sglrun::engine {

namespace {

template <class Matched>
FinishReason Stop(Matched matched) {
  return {.kind = FinishReason::Kind::kStop, .matched = std::move(matched)};
}

RecordError OverBudget(const std::string& pattern, std::size_t bytes) {
  RecordError error = AbortedRecord(
      "stop_regex \"" + pattern + "\" and " + std::to_string(bytes) +
      " bytes of text: the searches of this record need more than " +
      std::to_string(StopBudget::kSteps) +
      " steps; a pattern without look-around, back-references, atomic groups and possessive "
      "quantifiers needs none of them");
  error.param = "sampling_params.stop_regex";
  return error;
}

}  // namespace

std::span<const std::int32_t> PromptTail(std::span<const std::int32_t> prompt) {
  return prompt.last(std::min(prompt.size(), kPromptTail));
}

Result<StopCriteria, RecordError> StopCriteria::Create(const SamplingParams& params,
                                                       std::int64_t max_new_tokens,
                                                       std::span<const std::int32_t> model_stop_ids,
                                                       const tokenizer::Tokenizer& tokenizer,
                                                       std::span<const std::int32_t> prompt,
                                                       StopRegexes& regexes) {
  StopCriteria criteria;
  criteria.strings_ = params.stop;
  for (const std::string& pattern : params.stop_regex) {
    auto regex = regexes.Make(pattern);
    if (!regex.ok()) return RecordError{regex.error().message, "sampling_params.stop_regex"};
    criteria.regexes_.push_back(std::move(regex).value());
  }
  criteria.stop_ids_.assign(model_stop_ids.begin(), model_stop_ids.end());
  for (const std::int64_t id : params.stop_token_ids) {
    // Ids that no token can have are harmless; io warns about them.
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) continue;
    criteria.stop_ids_.push_back(static_cast<std::int32_t>(id));
  }
  std::ranges::sort(criteria.stop_ids_);
  std::vector<std::int32_t>& ids = criteria.stop_ids_;
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  criteria.ignore_stop_ids_ = params.ignore_eos;
  criteria.max_new_tokens_ = max_new_tokens;
  if (!criteria.strings_.empty() || !criteria.regexes_.empty()) {
    criteria.detokenizer_.emplace(tokenizer, PromptTail(prompt), /*skip_special_tokens=*/false);
  }
  return criteria;
}

Result<std::optional<FinishReason>, RecordError> StopCriteria::Append(std::int32_t token,
                                                                      std::int64_t generated) {
  if (detokenizer_) {
    SGLRUN_ASSIGN_OR_RETURN(auto matched, FindInText(token));
    if (matched) return matched;
  }
  if (!ignore_stop_ids_ && std::ranges::binary_search(stop_ids_, token)) {
    return std::optional(Stop(token));
  }
  if (generated >= max_new_tokens_) {
    return std::optional(
        FinishReason{.kind = FinishReason::Kind::kLength, .length = max_new_tokens_});
  }
  return std::optional<FinishReason>();
}

// The text of a token is searched only when its characters are complete.
Result<std::optional<FinishReason>, RecordError> StopCriteria::FindInText(std::int32_t token) {
  const std::size_t old_size = text_.size();
  text_ += detokenizer_->Append(token);
  if (text_.size() == old_size && detokenizer_->pending()) return std::optional<FinishReason>();
  if (auto matched = FindString(old_size)) return matched;
  return FindRegex();
}

// A match not seen before ends in the new part, so it begins at most len - 1 bytes before it.
std::optional<FinishReason> StopCriteria::FindString(std::size_t old_size) const {
  for (const std::string& stop : strings_) {
    const std::size_t reach = stop.size() - 1;
    const std::size_t from = old_size > reach ? old_size - reach : 0;
    if (text_.find(stop, from) != std::string::npos) return Stop(stop);
  }
  return std::nullopt;
}

Result<std::optional<FinishReason>, RecordError> StopCriteria::FindRegex() {
  for (StopRegex& regex : regexes_) {
    switch (regex.Search(text_, budget_)) {
      case StopRegex::Outcome::kNoMatch:
        break;
      case StopRegex::Outcome::kMatch:
        return std::optional(Stop(regex.pattern()));
      case StopRegex::Outcome::kLimit:
        return OverBudget(regex.pattern(), text_.size());
      case StopRegex::Outcome::kStopped:
        return AbortedRecord("the run was stopped during a search for stop_regex");
    }
  }
  return std::optional<FinishReason>();
}

bool StopCriteria::MayBeginStop() const {
  const auto begins = [this](const std::string& stop) {
    for (std::size_t n = std::min(stop.size() - 1, text_.size()); n > 0; --n) {
      if (text_.ends_with(std::string_view(stop).substr(0, n))) return true;
    }
    return false;
  };
  return std::ranges::any_of(strings_, begins);
}

std::string OutputText(const tokenizer::Tokenizer& tokenizer, std::span<const std::int32_t> prompt,
                       std::span<const std::int32_t> generated, const FinishReason& reason,
                       const SamplingParams& params) {
  const bool stopped = reason.kind == FinishReason::Kind::kStop;
  const bool by_token = stopped && std::holds_alternative<std::int32_t>(reason.matched);
  if (by_token && !params.no_stop_trim) generated = generated.first(generated.size() - 1);

  tokenizer::IncrementalDetokenizer detokenizer(tokenizer, PromptTail(prompt),
                                                params.skip_special_tokens);
  std::string text;
  for (const std::int32_t token : generated) text += detokenizer.Append(token);
  text += detokenizer.Finish();

  if (!stopped || by_token) return text;
  const std::string& matched = std::get<std::string>(reason.matched);
  // The pattern of a regex is never searched as a literal, even if it is plain text.
  if (std::ranges::find(params.stop, matched) == params.stop.end()) return text;
  const std::size_t found = text.find(matched);
  if (found == std::string::npos) return text;  // hidden with the special tokens
  text.resize(params.no_stop_trim ? found + matched.size() : found);
  return text;
}

}  // namespace sglrun::engine
