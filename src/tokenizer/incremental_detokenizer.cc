#include <utility>

#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

IncrementalDetokenizer::IncrementalDetokenizer(const Tokenizer& tokenizer,
                                               std::span<const TokenId> prompt_tail,
                                               bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens) {
  std::string before;
  tokenizer.AppendBytes(prompt_tail, skip_special_tokens, before);
  at_start_ = tokenizer.StripsLeadingSpace() && before.empty();
}

std::string IncrementalDetokenizer::Append(TokenId id) {
  std::string bytes;
  if (tokenizer_->DropsRepeats()) {
    // Skipped tokens do not separate repetitions.
    if (!tokenizer_->IsToken(id)) return bytes;
    if (skip_special_tokens_ && tokenizer_->IsSpecial(id)) return bytes;
    if (std::exchange(last_, id) == id) return bytes;
  }
  tokenizer_->AppendBytes({&id, 1}, skip_special_tokens_, bytes);
  if (at_start_ && !bytes.empty()) {
    // The part dropped at the start depends on the first token alone. An incomplete character
    // contains no space.
    at_start_ = false;
    if (IsValidUtf8(bytes)) bytes = tokenizer_->Decode({&id, 1}, skip_special_tokens_);
  }
  pending_ += bytes;
  const std::size_t ready = pending_.size() - IncompleteUtf8Suffix(pending_);
  std::string text = ToValidUtf8(std::string_view(pending_).substr(0, ready));
  pending_.erase(0, ready);
  return text;
}

std::string IncrementalDetokenizer::Finish() {
  std::string text = ToValidUtf8(pending_);
  pending_.clear();
  return text;
}

}  // namespace sglrun::tokenizer
