// When a sequence ends (docs/requests.md). After each token, in this order: stop strings and stop
// regexes in request order, over the whole generated text including special tokens, up to the last
// complete character; stop tokens; the length. The first rule that holds is the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/stop_regex.h"
#include "request/generate_result.h"
#include "request/record_error.h"
#include "request/sampling_params.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

// The prompt tokens that influence the text of the first generated token.
inline constexpr std::size_t kPromptTail = 5;
std::span<const std::int32_t> PromptTail(std::span<const std::int32_t> prompt);

class StopCriteria {
 public:
  // `model_stop_ids`: the end tokens of model and tokenizer. Fails on an invalid stop_regex.
  static Result<StopCriteria, RecordError> Create(const SamplingParams& params,
                                                  std::int64_t max_new_tokens,
                                                  std::span<const std::int32_t> model_stop_ids,
                                                  const tokenizer::Tokenizer& tokenizer,
                                                  std::span<const std::int32_t> prompt,
                                                  StopRegexes& regexes);

  // Every end token of the request, ascending: min_new_tokens forbids them, regardless of
  // ignore_eos.
  std::span<const std::int32_t> stop_ids() const { return stop_ids_; }

  // Takes the next generated token, the `generated`-th. Fails when the searches for stop regexes
  // have used up the record's budget, and when the process is to stop during one.
  Result<std::optional<FinishReason>, RecordError> Append(std::int32_t token,
                                                          std::int64_t generated);

  // The text ends with the beginning of a stop string.
  bool MayBeginStop() const;

 private:
  StopCriteria() = default;
  Result<std::optional<FinishReason>, RecordError> FindInText(std::int32_t token);
  std::optional<FinishReason> FindString(std::size_t old_size) const;
  Result<std::optional<FinishReason>, RecordError> FindRegex();

  std::vector<std::string> strings_;
  std::vector<StopRegex> regexes_;
  StopBudget budget_;
  std::vector<std::int32_t> stop_ids_;
  bool ignore_stop_ids_ = false;
  std::int64_t max_new_tokens_ = 0;
  // Present when there is a string or regex to look for.
  std::optional<tokenizer::IncrementalDetokenizer> detokenizer_;
  std::string text_;  // whole characters only
};

// The text of a finished sequence, with special tokens unless skip_special_tokens is set. It ends
// before the stop token or stop string, or after it if no_stop_trim is set; otherwise it is the
// whole text.
std::string OutputText(const tokenizer::Tokenizer& tokenizer, std::span<const std::int32_t> prompt,
                       std::span<const std::int32_t> generated, const FinishReason& reason,
                       const SamplingParams& params);

}  // namespace sglrun::engine
