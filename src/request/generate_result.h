// The complete result of one GenerateRequest. io/result_writer turns it into a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "request/record_error.h"

namespace sglrun {

struct FinishReason {
  enum class Kind : std::uint8_t { kStop, kLength };
  Kind kind = Kind::kLength;
  // kStop: the stop token's id, or the stop string or regex pattern; kLength: unused.
  std::variant<std::int32_t, std::string> matched = 0;
  std::int64_t length = 0;  // kLength: the effective max_new_tokens
};

// One token with its logprob; `text` only if it was requested. logprob is absent for the first
// reported prompt position.
struct TokenLogprob {
  std::optional<float> logprob;
  std::int32_t token_id = 0;
  std::optional<std::string> text;
};

// Lists of one position; absent if the row that determines them was not computed (written as null).
using PositionLogprobs = std::optional<std::vector<TokenLogprob>>;

struct LogprobResult {
  std::vector<TokenLogprob> input_token_logprobs;
  std::vector<TokenLogprob> output_token_logprobs;
  // Present when top_logprobs_num > 0.
  std::optional<std::vector<PositionLogprobs>> input_top_logprobs, output_top_logprobs;
  // Present when token_ids_logprob was given.
  std::optional<std::vector<PositionLogprobs>> input_token_ids_logprobs, output_token_ids_logprobs;
};

// Rows of floats, [rows, width] row-major.
struct HiddenStateResult {
  std::int64_t width = 0;
  std::int64_t prompt_rows = 0;  // element 0 of the written list is [prompt_rows, width]
  std::vector<float> values;     // prompt rows, then one row a generated token but the last
  bool last_only = false;        // "last": one flat vector
};

struct SamplingMaskResult {
  std::vector<std::vector<std::int32_t>> kept_ids;  // [completion_tokens], rank order
  std::vector<float> chosen_logprobs;               // [completion_tokens]
};

// Whether the text satisfies the constraint of its record (meta_info.grammar).
struct GrammarResult {
  bool complete = false;    // the text is a member
  bool forced_end = false;  // no other token was allowed, despite ignore_eos or min_new_tokens
  std::vector<std::string> relaxed = {};  // pointers of keywords that are not enforced
  std::vector<std::string> notes = {};
};

struct GenerateResult {
  std::uint64_t ticket = 0;
  std::string rid;
  // Set if the engine had to abandon the request. Then only text, output_ids and prompt_tokens are
  // meaningful: the result so far.
  std::optional<RecordError> error;

  std::string text;
  std::vector<std::int32_t> output_ids;
  FinishReason finish_reason;
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;  // prompt tokens taken from the prefix cache
  double e2e_latency = 0.0;        // seconds from admission to the last token

  std::optional<LogprobResult> logprobs;
  std::optional<HiddenStateResult> hidden_states;
  std::optional<std::vector<std::int32_t>> prompt_token_ids;
  std::optional<SamplingMaskResult> sampling_mask;
  std::optional<GrammarResult> grammar;
};

}  // namespace sglrun
