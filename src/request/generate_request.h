// One prompt and one output, valid by construction: after io/normalize no code checks the range of
// a parameter. A record with a list of prompts or n > 1 becomes several of these.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "request/sampling_params.h"

namespace sglrun {

enum class HiddenStates : std::uint8_t {
  kNone,
  kAll,   // all prompt positions and every generated token but the last
  kLast,  // the state of the last position fed
};

// Rows of input_embeds, [rows, width] row-major.
struct EmbeddingRows {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::vector<float> values;
};

struct GenerateRequest {
  std::uint64_t ticket = 0;  // the caller's number for this request; results carry it
  std::string rid;           // shown as meta_info.id

  // The prompt: ids take precedence over text; embeddings are used alone.
  std::string text;
  std::optional<std::vector<std::int32_t>> input_ids;
  std::shared_ptr<const EmbeddingRows> input_embeds;

  std::int32_t adapter = -1;  // number of the adapter that it runs with; -1: the model alone

  // Shared by the samples and prompts of a record with equal parameters.
  std::shared_ptr<const SamplingParams> sampling;
  std::uint64_t seed = 0;  // seed of the draws: stated by the record or derived from its content
  std::uint32_t sample_index = 0;  // among n

  bool return_logprob = false;
  std::int64_t logprob_start_len = -1;  // -1: no prompt logprobs
  std::int64_t top_logprobs_num = 0;
  std::optional<std::vector<std::int64_t>> token_ids_logprob;  // nullopt: not asked for
  bool return_text_in_logprobs = false;
  bool token_bytes_in_logprobs = false;  // token texts are bytes, even half characters
  HiddenStates return_hidden_states = HiddenStates::kNone;
  bool return_prompt_token_ids = false;
  bool return_sampling_mask = false;
  bool require_reasoning = false;  // the constraint begins after the reasoning
};

}  // namespace sglrun
