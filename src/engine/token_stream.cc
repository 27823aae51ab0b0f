#include "engine/token_stream.h"

#include <utility>

#include "base/check.h"

namespace sglrun::engine {

void TokenCounts::Add(std::int32_t token) {
  const auto [place, is_new] = place_.try_emplace(token, ids_.size());
  if (is_new) {
    ids_.push_back(token);
    counts_.push_back(0);
  }
  ++counts_[place->second];
}

TokenStream::TokenStream(std::vector<std::int32_t> prompt, StopCriteria stop, bool counts_tokens)
    : tokens_(std::move(prompt)),
      prompt_size_(static_cast<std::int64_t>(tokens_.size())),
      stop_(std::move(stop)),
      counts_tokens_(counts_tokens) {
  CHECK(prompt_size_ > 0);
}

Result<std::optional<FinishReason>, RecordError> TokenStream::Append(std::int32_t token) {
  tokens_.push_back(token);
  if (counts_tokens_) counts_.Add(token);
  if (detokenizer_) text_ += detokenizer_->Append(token);
  return stop_.Append(token, generated_size());
}

void TokenStream::KeepText(const tokenizer::Tokenizer& tokenizer, bool skip_special_tokens) {
  detokenizer_.emplace(tokenizer, PromptTail(prompt()), skip_special_tokens);
}

std::optional<std::string_view> TokenStream::text_so_far() const {
  CHECK(detokenizer_.has_value());
  if (stop_.MayBeginStop()) return std::nullopt;
  return text_;
}

}  // namespace sglrun::engine
