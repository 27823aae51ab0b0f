// How to choose tokens and when to stop: SGLang's sampling_params after defaults and range checks.
// Every field is described once in request/fields.cc, from which parser, messages, help, man page
// and JSON Schema are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "request/constraint.h"

namespace sglrun {

inline constexpr std::int64_t kTopKAll = std::int64_t{1} << 30;  // SGLang's "whole vocabulary"
inline constexpr std::int64_t kDefaultMaxNewTokens = 128;

struct SamplingParams {
  // nullopt: as many as fit the context. `max_new_tokens_stated` is false only for the built-in
  // default, which is clipped to what fits, while a stated number that does not fit is an error.
  std::optional<std::int64_t> max_new_tokens = kDefaultMaxNewTokens;
  bool max_new_tokens_stated = false;
  std::int64_t min_new_tokens = 0;

  std::vector<std::string> stop;        // never empty strings
  std::vector<std::string> stop_regex;  // valid PCRE2 patterns
  std::vector<std::int64_t> stop_token_ids;
  bool ignore_eos = false;
  bool no_stop_trim = false;

  double temperature = 1.0;
  double top_p = 1.0;
  std::int64_t top_k = kTopKAll;  // 1: greedy, whatever the temperature
  double min_p = 0.0;
  double frequency_penalty = 0.0;
  double presence_penalty = 0.0;
  double repetition_penalty = 1.0;
  std::vector<std::pair<std::int32_t, float>> logit_bias;
  std::optional<std::int64_t> sampling_seed;
  std::int64_t n = 1;

  bool skip_special_tokens = true;

  std::optional<Constraint> constraint;
  std::optional<std::int64_t> thinking_budget;  // of custom_params: tokens before the constraint

  bool greedy() const { return top_k <= 1; }
};

}  // namespace sglrun
