// Checks of a request against a model: the last place where a record's own values can be wrong.
// docs/requests.md has the rules of lengths.
#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/engine.h"
#include "engine/result_room.h"

namespace sglrun::engine {

namespace {

using Ids = std::vector<std::int32_t>;

// More than the context of any model; tokens take several times the memory of their text.
constexpr std::size_t kMostPromptText = std::size_t{64} << 20;

std::string Number(std::int64_t value) {
  return FormatCount(value);
}

std::string IndexedName(const char* field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

RecordError OutsideVocabulary(std::string param, std::int64_t id, std::int64_t vocab_size) {
  return RecordError{param + " is " + std::to_string(id) + ", the vocabulary has ids 0 to " +
                         std::to_string(vocab_size - 1),
                     param};
}

Result<Ids, RecordError> StandInIds(const EmbeddingRows& embeds, std::int64_t hidden_size) {
  if (embeds.rows == 0) return RecordError{"input_embeds has no rows", "input_embeds"};
  if (embeds.width != hidden_size) {
    return RecordError{"input_embeds has rows of " + Number(embeds.width) +
                           " numbers, the model's hidden size is " + Number(hidden_size),
                       "input_embeds"};
  }
  return Ids(static_cast<std::size_t>(embeds.rows), 1);
}

Result<Ids, RecordError> CheckedIds(const Ids& ids, std::int64_t vocab_size) {
  if (ids.empty()) return RecordError{"input_ids is an empty prompt", "input_ids"};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= vocab_size) {
      return OutsideVocabulary(IndexedName("input_ids", i), ids[i], vocab_size);
    }
  }
  return ids;
}

Result<Ids, RecordError> Tokenize(const std::string& text, const tokenizer::Tokenizer& tokenizer,
                                  std::int64_t vocab_size) {
  if (text.empty()) return RecordError{"text is an empty prompt", "text"};
  if (text.size() > kMostPromptText) {
    return RecordError{"text has " + Number(static_cast<std::int64_t>(text.size())) +
                           " bytes, a prompt may have " +
                           Number(static_cast<std::int64_t>(kMostPromptText)),
                       "text"};
  }
  auto ids = tokenizer.Encode(text, {.add_special_tokens = true});
  if (!ids.ok()) return RecordError{"text cannot be tokenized: " + ids.error().message, "text"};
  if (ids->empty()) return RecordError{"text is an empty prompt: it has no tokens", "text"};
  for (const std::int32_t id : *ids) {
    if (id < vocab_size) continue;
    return RecordError{"text has the token " + std::to_string(id) + " (" + tokenizer.TokenName(id) +
                           "), the model's vocabulary ends at " + std::to_string(vocab_size - 1),
                       "text"};
  }
  return std::move(ids).value();
}

Result<Ids, RecordError> PromptIds(const GenerateRequest& request,
                                   const tokenizer::Tokenizer& tokenizer,
                                   const PromptLimits& limits) {
  if (request.input_embeds != nullptr) return StandInIds(*request.input_embeds, limits.hidden_size);
  if (request.input_ids) return CheckedIds(*request.input_ids, limits.vocab_size);
  return Tokenize(request.text, tokenizer, limits.vocab_size);
}

// The text begins with the BOS token, and the tokenizer has added another one.
bool BeginsTwice(const GenerateRequest& request, const Ids& ids,
                 const tokenizer::Tokenizer& tokenizer) {
  const bool is_text = request.input_embeds == nullptr && !request.input_ids;
  const auto bos = tokenizer.bos_id();
  return is_text && bos && ids.size() > 1 && ids[0] == *bos && ids[1] == *bos;
}

const char* PromptField(const GenerateRequest& request) {
  if (request.input_embeds != nullptr) return "input_embeds";
  return request.input_ids ? "input_ids" : "text";
}

Result<std::int64_t, RecordError> MaxNewTokens(const SamplingParams& params, std::int64_t prompt,
                                               std::int64_t context, const char* prompt_field) {
  // A prompt that is only scored may fill the context.
  if (prompt > context || (prompt == context && params.max_new_tokens != 0)) {
    return RecordError{"the prompt has " + Number(prompt) + " tokens, the context length is " +
                           Number(context) + ": a prompt may have at most " + Number(context - 1) +
                           ", with max_new_tokens 0 " + Number(context),
                       prompt_field};
  }
  const std::int64_t room = context - prompt;
  if (!params.max_new_tokens) return room;
  const std::int64_t asked = *params.max_new_tokens;
  if (asked > room && params.max_new_tokens_stated) {
    return RecordError{"the prompt has " + Number(prompt) + " tokens and max_new_tokens is " +
                           Number(asked) + ", the context length is " + Number(context) +
                           ": max_new_tokens may be at most " + Number(room),
                       "sampling_params.max_new_tokens"};
  }
  return std::min(asked, room);
}

Result<void, RecordError> CheckLogprobFields(const GenerateRequest& request, std::int64_t prompt,
                                             std::int64_t vocab_size) {
  // Checked even if no logprobs are requested, as in SGLang.
  if (request.token_ids_logprob) {
    for (std::size_t i = 0; i < request.token_ids_logprob->size(); ++i) {
      const std::int64_t id = (*request.token_ids_logprob)[i];
      if (id < 0 || id >= vocab_size) {
        return OutsideVocabulary(IndexedName("token_ids_logprob", i), id, vocab_size);
      }
    }
  }
  if (!request.return_logprob) return {};
  if (request.logprob_start_len > prompt) {
    return RecordError{"logprob_start_len is " + Number(request.logprob_start_len) +
                           ", higher than the number of input tokens, " + Number(prompt),
                       "logprob_start_len"};
  }
  if (request.logprob_start_len >= 0 && request.input_embeds != nullptr) {
    return RecordError{
        "logprob_start_len asks for logprobs of the prompt, which input_embeds does not have: "
        "use -1",
        "logprob_start_len"};
  }
  return {};
}

Result<void, RecordError> CheckBias(const SamplingParams& params, std::int64_t vocab_size) {
  for (const auto& [id, bias] : params.logit_bias) {
    if (id < 0 || id >= vocab_size) {
      return OutsideVocabulary("sampling_params.logit_bias", id, vocab_size);
    }
  }
  return {};
}

Result<Ids, RecordError> ReasoningEnd(const GenerateRequest& request,
                                      const tokenizer::Tokenizer& tokenizer,
                                      const PromptLimits& limits) {
  if (!request.require_reasoning || !request.sampling->constraint) return Ids();
  auto ids = tokenizer.Encode(limits.reasoning_end, {.add_special_tokens = false});
  const bool known = ids.ok() && !ids->empty() && std::ranges::all_of(*ids, [&](std::int32_t id) {
                       return id < limits.vocab_size;
                     });
  if (known) return std::move(ids).value();
  return RecordError{
      "require_reasoning is true, but the vocabulary has no tokens for the end of "
      "the reasoning, \"" +
          std::string(limits.reasoning_end) + "\": give --reasoning-end",
      "require_reasoning"};
}

}  // namespace

Result<PreparedPrompt, RecordError> PreparePrompt(const GenerateRequest& request,
                                                  const tokenizer::Tokenizer& tokenizer,
                                                  const PromptLimits& limits) {
  const SamplingParams& params = *request.sampling;
  PreparedPrompt prompt;
  SGLRUN_ASSIGN_OR_RETURN(prompt.token_ids, PromptIds(request, tokenizer, limits));
  prompt.begins_twice = BeginsTwice(request, prompt.token_ids, tokenizer);
  const auto size = static_cast<std::int64_t>(prompt.token_ids.size());
  SGLRUN_ASSIGN_OR_RETURN(prompt.max_new_tokens,
                          MaxNewTokens(params, size, limits.context_length, PromptField(request)));
  prompt.min_new_tokens = std::min(params.min_new_tokens, prompt.max_new_tokens);
  SGLRUN_RETURN_IF_ERROR(CheckLogprobFields(request, size, limits.vocab_size));
  SGLRUN_RETURN_IF_ERROR(CheckBias(params, limits.vocab_size));
  SGLRUN_ASSIGN_OR_RETURN(prompt.reasoning_end, ReasoningEnd(request, tokenizer, limits));
  prompt.result_bytes = MostResultBytes(request, {.prompt_tokens = size,
                                                  .max_new_tokens = prompt.max_new_tokens,
                                                  .vocab_size = limits.vocab_size,
                                                  .hidden_size = limits.hidden_size});
  return prompt;
}

std::int64_t MostCachedTokens(std::int64_t prompt_tokens, std::int64_t max_new_tokens) {
  return prompt_tokens + std::max<std::int64_t>(max_new_tokens - 1, 0);
}

Result<void, RecordError> CheckCacheRoom(const PreparedPrompt& prompt, std::int64_t pages) {
  const auto size = static_cast<std::int64_t>(prompt.token_ids.size());
  const std::int64_t room = pages * kernels::kPageSize;
  if (MostCachedTokens(size, prompt.max_new_tokens) <= room) return {};
  return RecordError{"the prompt has " + Number(size) + " tokens and may get " +
                         Number(prompt.max_new_tokens) + " more, the key-value cache holds " +
                         Number(room) + ": raise --kv-memory or lower max_new_tokens",
                     "sampling_params.max_new_tokens"};
}

}  // namespace sglrun::engine
