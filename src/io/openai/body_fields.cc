#include "io/openai/body_fields.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace sglrun::io::openai {
namespace {

constexpr std::string_view kChat = "chat";
constexpr std::string_view kCompletions = "completions";
constexpr std::string_view kBoth = "both";

// Names as in the `openai` Python package 3.57.0, vllm/entrypoints/openai/protocol.py and
// sglang/srt/entrypoints/openai/protocol.py.
constexpr BodyField kFields[] = {
    {"model", kBoth, Use::kRead, "", "shown in the answer; --model is what runs"},
    {"messages", kChat, Use::kRead, "", "the conversation"},
    {"prompt", kCompletions, Use::kRead, "", "a text, token ids, or an array of either"},
    {"max_completion_tokens", kChat, Use::kRead, "", "most tokens to generate"},
    {"max_tokens", kBoth, Use::kRead, "",
     "most tokens to generate; by default as many as fit (chat) or 16 (completions)"},
    {"temperature", kBoth, Use::kSampling, "temperature", "as in sampling_params"},
    {"top_p", kBoth, Use::kSampling, "top_p", "as in sampling_params"},
    {"presence_penalty", kBoth, Use::kSampling, "presence_penalty", "as in sampling_params"},
    {"frequency_penalty", kBoth, Use::kSampling, "frequency_penalty", "as in sampling_params"},
    {"logit_bias", kBoth, Use::kSampling, "logit_bias", "as in sampling_params"},
    {"seed", kBoth, Use::kSampling, "sampling_seed", "the seed of the draws"},
    {"n", kBoth, Use::kSampling, "n", "choices for each prompt"},
    {"stop", kBoth, Use::kSampling, "stop", "strings that end the text; they are cut off"},
    {"logprobs", kBoth, Use::kRead, "",
     "chat: whether to give logprobs; completions: how many at each position"},
    {"top_logprobs", kChat, Use::kRead, "", "how many of the most likely tokens at each position"},
    {"echo", kCompletions, Use::kRead, "", "put the prompt before the text, and its logprobs"},
    {"tools", kChat, Use::kRead, "", "functions that the chat template shows"},
    {"tool_choice", kChat, Use::kRead, "",
     "\"none\", \"auto\", \"required\", or the function to call"},
    {"parallel_tool_calls", kChat, Use::kRead, "",
     "false: one call, where tool_choice asks for it"},
    {"response_format", kBoth, Use::kRead, "", "text, json_object, json_schema or structural_tag"},
    {"reasoning_effort", kChat, Use::kRead, "",
     "a variable of the chat template; sets thinking and enable_thinking, too"},

    {"top_k", kBoth, Use::kRead, "", "as in sampling_params; 0: all"},
    {"min_p", kBoth, Use::kSampling, "min_p", "as in sampling_params"},
    {"repetition_penalty", kBoth, Use::kSampling, "repetition_penalty", "as in sampling_params"},
    {"min_tokens", kBoth, Use::kSampling, "min_new_tokens", "tokens before any stop token"},
    {"stop_token_ids", kBoth, Use::kSampling, "stop_token_ids", "as in sampling_params"},
    {"stop_regex", kBoth, Use::kSampling, "stop_regex", "as in sampling_params"},
    {"ignore_eos", kBoth, Use::kSampling, "ignore_eos", "as in sampling_params"},
    {"include_stop_str_in_output", kBoth, Use::kSampling, "no_stop_trim",
     "leave the stop string in the text"},
    {"no_stop_trim", kBoth, Use::kSampling, "no_stop_trim", "leave the stop string in the text"},
    {"skip_special_tokens", kBoth, Use::kSampling, "skip_special_tokens", "as in sampling_params"},
    {"spaces_between_special_tokens", kBoth, Use::kSampling, "spaces_between_special_tokens",
     "as in sampling_params"},
    {"custom_params", kBoth, Use::kSampling, "custom_params", "as in sampling_params"},
    {"structured_outputs", kBoth, Use::kRead, "",
     "an object with one of json, regex, choice, grammar, json_object, structural_tag"},
    {"guided_json", kBoth, Use::kRead, "", "a JSON Schema"},
    {"guided_regex", kBoth, Use::kRead, "", "a regular expression"},
    {"guided_choice", kBoth, Use::kRead, "", "texts of which the answer is one"},
    {"guided_grammar", kBoth, Use::kRead, "", "a grammar (GBNF)"},
    {"json_schema", kBoth, Use::kRead, "", "a JSON Schema"},
    {"regex", kBoth, Use::kRead, "", "a regular expression"},
    {"ebnf", kBoth, Use::kRead, "", "a grammar (GBNF)"},
    {"structural_tag", kBoth, Use::kRead, "", "tags between which the text is constrained"},
    {"documents", kChat, Use::kRead, "", "documents that the chat template shows"},
    {"chat_template_kwargs", kChat, Use::kRead, "", "more variables of the chat template"},
    {"add_generation_prompt", kChat, Use::kRead, "", "false leaves the assistant's turn unopened"},
    {"return_token_ids", kBoth, Use::kRead, "", "add token_ids to each choice"},
    {"return_prompt_token_ids", kBoth, Use::kRead, "", "add prompt_token_ids to each choice"},

    {"stream", kBoth, Use::kNoEffect, "", "accepted; one row is written all the same"},
    {"stream_options", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"user", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"metadata", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"store", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"service_tier", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"safety_identifier", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"prompt_cache_key", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"prompt_cache_options", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"prompt_cache_retention", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"prediction", kChat, Use::kNoEffect, "", "accepted without effect: it only saves time"},
    {"priority", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"request_id", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"rid", kBoth, Use::kNoEffect, "", "accepted without effect: custom_id names the row"},
    {"cache_salt", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"extra_key", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"guided_decoding_backend", kBoth, Use::kNoEffect, "", "accepted without effect"},
    {"separate_reasoning", kChat, Use::kNoEffect, "", "accepted: the content holds the reasoning"},
    {"stream_reasoning", kChat, Use::kNoEffect, "", "accepted without effect"},
    {"include_reasoning", kChat, Use::kNoEffect, "", "accepted: the content holds the reasoning"},

    {"verbosity", kChat, Use::kHint, "", "how long answers shall be"},

    {"suffix", kCompletions, Use::kRefused, "", "a text behind the completion"},
    {"best_of", kBoth, Use::kRefused, "1", "the best of several samples"},
    {"use_beam_search", kBoth, Use::kRefused, "false", "beam search"},
    {"length_penalty", kBoth, Use::kRefused, "1", "a weight of beam search"},
    {"echo", kChat, Use::kRefused, "false", "the last message before the answer"},
    {"continue_final_message", kChat, Use::kRefused, "false", "an answer that was begun"},
    {"add_special_tokens", kChat, Use::kRefused, "false", "special tokens beside the template's"},
    {"add_special_tokens", kCompletions, Use::kRefused, "true", "a prompt without special tokens"},
    {"chat_template", kChat, Use::kRefused, "", "a template of the record; give --template FILE"},
    {"input_ids", kChat, Use::kRefused, "", "token ids in place of messages"},
    {"mm_processor_kwargs", kBoth, Use::kRefused, "", "how media are read"},
    {"modalities", kChat, Use::kRefused, "[\"text\"]", "kinds of output beside text"},
    {"audio", kChat, Use::kRefused, "", "spoken output"},
    {"functions", kChat, Use::kRefused, "", "the old form of tools; send tools"},
    {"function_call", kChat, Use::kRefused, "\"none\"",
     "the old form of tool_choice; send tool_choice"},
    {"moderation", kChat, Use::kRefused, "", "a check by another model"},
    {"web_search_options", kChat, Use::kRefused, "", "a search of the web"},
    {"guided_whitespace_pattern", kBoth, Use::kRefused, "",
     "white space of JSON; give --constrained-json-whitespace"},
    {"logits_processors", kBoth, Use::kRefused, "", "functions over logits"},
    {"custom_logit_processor", kBoth, Use::kRefused, "", "a logit processor"},
    {"allowed_token_ids", kBoth, Use::kRefused, "", "the only tokens that may come"},
    {"bad_words", kBoth, Use::kRefused, "", "words that may not come"},
    {"prompt_logprobs", kBoth, Use::kRefused, "", "logprobs of the prompt; completions have echo"},
    {"prompt_embeds", kCompletions, Use::kRefused, "", "a prompt of embeddings"},
    {"truncate_prompt_tokens", kBoth, Use::kRefused, "", "a prompt that is cut"},
    {"return_tokens_as_token_ids", kBoth, Use::kRefused, "false", "tokens shown as their ids"},
    {"return_hidden_states", kBoth, Use::kRefused, "false", "hidden states"},
    {"lora_path", kBoth, Use::kRefused, "", "a LoRA adapter"},
    {"session_id", kBoth, Use::kRefused, "", "the name of a session"},
    {"session_params", kBoth, Use::kRefused, "", "the turn of a session"},
    {"vllm_xargs", kBoth, Use::kRefused, "", "parameters of custom extensions"},
};

std::string_view UsePhrase(const BodyField& field) {
  if (field.use == Use::kRefused) return "not supported yet: ";
  return field.use == Use::kHint ? "no effect here, with a warning: " : "";
}

}  // namespace

bool BodyField::Of(Endpoint endpoint) const {
  return endpoints == kBoth || endpoints == (endpoint == Endpoint::kChat ? kChat : kCompletions);
}

std::span<const BodyField> BodyFields() {
  return kFields;
}

const BodyField* FindBodyField(Endpoint endpoint, std::string_view name) {
  const auto found = std::ranges::find_if(
      kFields, [&](const BodyField& field) { return field.name == name && field.Of(endpoint); });
  return found == std::end(kFields) ? nullptr : &*found;
}

std::string NearestBodyFieldHint(Endpoint endpoint, std::string_view name) {
  std::vector<std::string_view> names;
  for (const BodyField& field : kFields) {
    if (field.Of(endpoint)) names.push_back(field.name);
  }
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)";
}

std::string BodyFieldsTable() {
  std::string out = "Of the body of an OpenAI line (chat, completions, or both)\n";
  for (const BodyField& field : kFields) {
    std::string line = "  " + std::string(field.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 38), ' ');
    line.append(field.endpoints);
    line.resize(53, ' ');
    line.append(UsePhrase(field)).append(field.summary);
    if (field.use == Use::kSampling && field.target != field.name) {
      line.append(" (").append(field.target).append(")");
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace sglrun::io::openai
