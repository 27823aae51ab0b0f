// GenerateReqInput, field for field as SGLang's, after each value has been checked separately.
// io/normalize checks shapes (one prompt or a batch, list lengths, n).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/generate_request.h"
#include "request/record_error.h"

namespace sglrun::io {

// A field that holds one value, or an array with one value per prompt.
template <class T>
struct PerPrompt {
  std::vector<T> values;  // empty: absent, unless is_list
  bool is_list = false;

  bool given() const { return is_list || !values.empty(); }
  T ValueOr(std::size_t prompt, T otherwise) const {
    if (!given()) return otherwise;
    return values[is_list ? prompt : 0];
  }
};

struct GenerateReqInput {
  PerPrompt<std::string> text;
  PerPrompt<std::vector<std::int32_t>> input_ids;
  PerPrompt<std::shared_ptr<const EmbeddingRows>> input_embeds;
  PerPrompt<Json> sampling_params;
  PerPrompt<std::string> rid;
  PerPrompt<std::string> lora_path;  // "": the model alone
  PerPrompt<bool> return_logprob;
  PerPrompt<std::int64_t> logprob_start_len;
  PerPrompt<std::int64_t> top_logprobs_num;
  PerPrompt<std::vector<std::int64_t>> token_ids_logprob;
  PerPrompt<HiddenStates> return_hidden_states;
  PerPrompt<bool> return_sampling_mask;
  bool return_text_in_logprobs = false;
  bool return_prompt_token_ids = false;
  bool require_reasoning = false;
};

struct ReadOptions {
  std::int64_t vocab_size = 0;  // 0: not known
  bool strict = false;          // an unknown field is an error
};

// `object` is a JSON object; texts are moved out of it.
Result<GenerateReqInput, RecordError> ReadGenerateReqInput(Json object, const ReadOptions& options,
                                                           std::vector<std::string>& warnings);

}  // namespace sglrun::io
