// The tokens of a sequence, prompt and generated, and the rules that end it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/stop_criteria.h"
#include "request/generate_result.h"
#include "request/record_error.h"
#include "tokenizer/tokenizer.h"

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

class TokenStream {
 public:
  // `prompt` is not empty. `counts_tokens`: a penalty reads counts().
  TokenStream(std::vector<std::int32_t> prompt, StopCriteria stop, bool counts_tokens);

  std::span<const std::int32_t> all() const { return tokens_; }
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::int64_t prompt_size() const { return prompt_size_; }
  std::int64_t generated_size() const { return size() - prompt_size_; }
  std::span<const std::int32_t> prompt() const {
    return all().first(static_cast<std::size_t>(prompt_size_));
  }
  std::span<const std::int32_t> generated() const {
    return all().subspan(static_cast<std::size_t>(prompt_size_));
  }

  // Of the generated tokens; empty unless they are counted.
  const TokenCounts& counts() const { return counts_; }
  // The tokens that end the sequence, ascending.
  std::span<const std::int32_t> stop_ids() const { return stop_.stop_ids(); }

  // Takes a generated token; the reason when it ends the sequence. Fails when a stop_regex exhausts
  // its limit.
  Result<std::optional<FinishReason>, RecordError> Append(std::int32_t token);

  // From now on the text is decoded token by token, for text_so_far().
  void KeepText(const tokenizer::Tokenizer& tokenizer, bool skip_special_tokens);
  // Whole characters only. Nothing while its end could become a stop string, which the final text
  // will not contain. Requires KeepText.
  std::optional<std::string_view> text_so_far() const;

 private:
  std::vector<std::int32_t> tokens_;
  std::int64_t prompt_size_;
  StopCriteria stop_;
  bool counts_tokens_;
  TokenCounts counts_;
  std::optional<tokenizer::IncrementalDetokenizer> detokenizer_;
  std::string text_;
};

}  // namespace sglrun::engine
