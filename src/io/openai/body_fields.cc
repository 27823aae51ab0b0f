#include "io/openai/body_fields.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace sglrun::io::openai {
namespace {

constexpr std::string_view kChat = "chat";
constexpr std::string_view kCompletions = "completions";
constexpr std::string_view kBoth = "both";

using request::Kind;

// Names as in the `openai` Python package 3.57.0, vllm/entrypoints/openai/protocol.py and
// sglang/srt/entrypoints/openai/protocol.py.
constexpr BodyField kFields[] = {
    {"model", kBoth, Use::kRead, "", Kind::kString,
     "repeated in the response; --model selects the model, the name of an adapter that adapter"},
    {"lora_path", kBoth, Use::kRead, "", Kind::kString,
     "the adapter (LoRA) with which the prompt runs: a name of --lora"},
    {"messages", kChat, Use::kRead, "", Kind::kAny, "the conversation"},
    {"prompt", kCompletions, Use::kRead, "", Kind::kAny,
     "a text, token ids, or an array of either"},
    {"max_completion_tokens", kChat, Use::kRead, "", Kind::kAny,
     "maximum number of generated tokens"},
    {"max_tokens", kBoth, Use::kRead, "", Kind::kAny,
     "maximum number of generated tokens; by default as many as fit (chat) or 16 (completions)"},
    {"temperature", kBoth, Use::kSampling, "temperature", Kind::kAny, "as in sampling_params"},
    {"top_p", kBoth, Use::kSampling, "top_p", Kind::kAny, "as in sampling_params"},
    {"presence_penalty", kBoth, Use::kSampling, "presence_penalty", Kind::kAny,
     "as in sampling_params"},
    {"frequency_penalty", kBoth, Use::kSampling, "frequency_penalty", Kind::kAny,
     "as in sampling_params"},
    {"logit_bias", kBoth, Use::kSampling, "logit_bias", Kind::kAny, "as in sampling_params"},
    {"seed", kBoth, Use::kSampling, "sampling_seed", Kind::kAny, "seed of the random draws"},
    {"n", kBoth, Use::kSampling, "n", Kind::kAny, "number of choices for each prompt"},
    {"stop", kBoth, Use::kSampling, "stop", Kind::kAny,
     "strings that end the text; they are removed from it"},
    {"logprobs", kBoth, Use::kRead, "", Kind::kAny,
     "chat: whether to return logprobs; completions: number of logprobs at each position; the "
     "lowest value is -9999"},
    {"top_logprobs", kChat, Use::kRead, "", Kind::kAny,
     "number of most likely tokens to report at each position"},
    {"echo", kCompletions, Use::kRead, "", Kind::kBool,
     "return the prompt before the text, with its logprobs"},
    {"tools", kChat, Use::kRead, "", Kind::kAny,
     "functions that the model may call; the parameters of calls required by tool_choice are "
     "enforced, even without strict"},
    {"tool_choice", kChat, Use::kRead, "", Kind::kAny,
     "\"none\", \"auto\", \"required\", or the function to call"},
    {"parallel_tool_calls", kChat, Use::kRead, "", Kind::kBool,
     "false: only one call, if tool_choice requires a call"},
    {"response_format", kBoth, Use::kRead, "", Kind::kAny,
     "text, json_object, json_schema or structural_tag; a schema is enforced, even without strict"},
    {"reasoning_effort", kChat, Use::kRead, "", Kind::kString,
     "a variable of the chat template; also sets thinking and enable_thinking",
     "none|minimal|low|medium|high|xhigh|max"},

    {"top_k", kBoth, Use::kRead, "", Kind::kAny, "as in sampling_params; 0: all"},
    {"min_p", kBoth, Use::kSampling, "min_p", Kind::kAny, "as in sampling_params"},
    {"repetition_penalty", kBoth, Use::kSampling, "repetition_penalty", Kind::kAny,
     "as in sampling_params"},
    {"min_tokens", kBoth, Use::kSampling, "min_new_tokens", Kind::kAny,
     "number of tokens before the first stop token is allowed"},
    {"stop_token_ids", kBoth, Use::kSampling, "stop_token_ids", Kind::kAny,
     "as in sampling_params"},
    {"stop_regex", kBoth, Use::kSampling, "stop_regex", Kind::kAny, "as in sampling_params"},
    {"ignore_eos", kBoth, Use::kSampling, "ignore_eos", Kind::kAny, "as in sampling_params"},
    {"include_stop_str_in_output", kBoth, Use::kSampling, "no_stop_trim", Kind::kAny,
     "keep the stop string in the text"},
    {"no_stop_trim", kBoth, Use::kSampling, "no_stop_trim", Kind::kAny,
     "keep the stop string in the text"},
    {"skip_special_tokens", kBoth, Use::kSampling, "skip_special_tokens", Kind::kAny,
     "as in sampling_params"},
    {"spaces_between_special_tokens", kBoth, Use::kSampling, "spaces_between_special_tokens",
     Kind::kBool, "as in sampling_params"},
    {"custom_params", kBoth, Use::kSampling, "custom_params", Kind::kObject,
     "as in sampling_params"},
    {"structured_outputs", kBoth, Use::kRead, "", Kind::kObject,
     "an object with one of json, regex, choice, grammar, json_object, structural_tag"},
    {"guided_json", kBoth, Use::kRead, "", Kind::kAny, "a JSON Schema"},
    {"guided_regex", kBoth, Use::kRead, "", Kind::kAny, "a regular expression"},
    {"guided_choice", kBoth, Use::kRead, "", Kind::kAny,
     "the texts from which the answer is chosen"},
    {"guided_grammar", kBoth, Use::kRead, "", Kind::kAny, "a grammar (GBNF)"},
    {"json_schema", kBoth, Use::kRead, "", Kind::kAny, "a JSON Schema"},
    {"regex", kBoth, Use::kRead, "", Kind::kAny, "a regular expression"},
    {"ebnf", kBoth, Use::kRead, "", Kind::kAny, "a grammar (GBNF)"},
    {"structural_tag", kBoth, Use::kRead, "", Kind::kAny,
     "free text with constrained parts between tags"},
    {"documents", kChat, Use::kRead, "", Kind::kAny, "documents, for the chat template"},
    {"chat_template_kwargs", kChat, Use::kRead, "", Kind::kObject,
     "further variables of the chat template"},
    {"add_generation_prompt", kChat, Use::kRead, "", Kind::kBool,
     "false: do not begin the assistant's turn after the messages"},
    {"continue_final_message", kChat, Use::kRead, "", Kind::kBool,
     "true: the answer continues the text of the last message"},
    {"enable_thinking", kChat, Use::kRead, "", Kind::kBool, "a variable of the chat template"},
    {"chat_template", kChat, Use::kRead, "", Kind::kAny, "a template for this line alone"},
    {"return_token_ids", kBoth, Use::kRead, "", Kind::kBool, "add token_ids to each choice"},
    {"return_prompt_token_ids", kBoth, Use::kRead, "", Kind::kBool,
     "add prompt_token_ids to each choice"},

    {"stream", kBoth, Use::kNoEffect, "", Kind::kBool, "accepted; one row is written in any case"},
    {"stream_options", kBoth, Use::kNoEffect, "", Kind::kObject, "accepted without effect"},
    {"user", kBoth, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"metadata", kChat, Use::kNoEffect, "", Kind::kObject, "accepted without effect"},
    {"store", kChat, Use::kNoEffect, "", Kind::kBool, "accepted without effect"},
    {"service_tier", kBoth, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"safety_identifier", kChat, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"prompt_cache_key", kChat, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"prompt_cache_options", kChat, Use::kNoEffect, "", Kind::kObject, "accepted without effect"},
    {"prompt_cache_retention", kChat, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"prediction", kChat, Use::kNoEffect, "", Kind::kObject,
     "accepted without effect: it only saves time"},
    {"priority", kBoth, Use::kNoEffect, "", Kind::kInteger, "accepted without effect"},
    {"request_id", kBoth, Use::kNoEffect, "", Kind::kString, "accepted without effect"},
    {"rid", kBoth, Use::kNoEffect, "", Kind::kStrings,
     "accepted without effect: custom_id names the row"},
    {"cache_salt", kBoth, Use::kNoEffect, "", Kind::kStrings, "accepted without effect"},
    {"extra_key", kBoth, Use::kNoEffect, "", Kind::kStrings, "accepted without effect"},
    {"guided_decoding_backend", kBoth, Use::kNoEffect, "", Kind::kString,
     "accepted without effect"},
    {"separate_reasoning", kChat, Use::kNoEffect, "", Kind::kBool,
     "accepted: the reasoning stays in the content"},
    {"stream_reasoning", kChat, Use::kNoEffect, "", Kind::kBool, "accepted without effect"},
    {"include_reasoning", kChat, Use::kNoEffect, "", Kind::kBool,
     "accepted: the reasoning stays in the content"},
    {"ngram_corpus_id", kBoth, Use::kNoEffect, "", Kind::kStrings, "accepted without effect"},
    {"stream_interval", kBoth, Use::kNoEffect, "", Kind::kInteger, "accepted without effect"},
    {"custom_labels", kBoth, Use::kNoEffect, "", Kind::kObject, "accepted without effect"},
    {"routed_dp_rank", kBoth, Use::kNoEffect, "", Kind::kInteger, "accepted without effect"},
    {"data_parallel_rank", kBoth, Use::kNoEffect, "", Kind::kInteger, "accepted without effect"},
    {"return_mm_kwargs", kBoth, Use::kNoEffect, "", Kind::kBool,
     "accepted: media are not supported"},

    {"verbosity", kChat, Use::kHint, "", Kind::kString, "the desired length of answers",
     "low|medium|high"},

    {"suffix", kCompletions, Use::kRefused, "", Kind::kAny, "a text after the completion"},
    {"best_of", kBoth, Use::kRefused, "1", Kind::kAny, "the best of several samples"},
    {"use_beam_search", kBoth, Use::kRefused, "false", Kind::kAny, "beam search"},
    {"length_penalty", kBoth, Use::kRefused, "1", Kind::kAny, "a parameter of beam search"},
    {"echo", kChat, Use::kRefused, "false", Kind::kAny,
     "return the last message before the answer"},
    {"add_special_tokens", kChat, Use::kRefused, "false", Kind::kAny,
     "special tokens in addition to those of the template"},
    {"add_special_tokens", kCompletions, Use::kRefused, "true", Kind::kAny,
     "a prompt without special tokens"},
    {"input_ids", kChat, Use::kRefused, "", Kind::kAny, "token ids in place of messages"},
    {"mm_processor_kwargs", kBoth, Use::kRefused, "", Kind::kAny, "how media files are read"},
    {"modalities", kChat, Use::kRefused, "[\"text\"]", Kind::kAny, "outputs other than text"},
    {"audio", kChat, Use::kRefused, "", Kind::kAny, "spoken output"},
    {"functions", kChat, Use::kRefused, "", Kind::kAny, "the deprecated form of tools; use tools"},
    {"function_call", kChat, Use::kRefused, "\"none\"", Kind::kAny,
     "the deprecated form of tool_choice; use tool_choice"},
    {"moderation", kChat, Use::kRefused, "", Kind::kAny, "a check by another model"},
    {"web_search_options", kChat, Use::kRefused, "", Kind::kAny, "web search"},
    {"guided_whitespace_pattern", kBoth, Use::kRefused, "", Kind::kAny,
     "white space in JSON; use --constrained-json-whitespace"},
    {"logits_processors", kBoth, Use::kRefused, "", Kind::kAny, "functions that modify logits"},
    {"custom_logit_processor", kBoth, Use::kRefused, "", Kind::kAny, "a logit processor"},
    {"allowed_token_ids", kBoth, Use::kRefused, "", Kind::kAny, "the only tokens that are allowed"},
    {"bad_words", kBoth, Use::kRefused, "", Kind::kAny, "words that are not allowed"},
    {"prompt_logprobs", kBoth, Use::kRefused, "", Kind::kAny,
     "logprobs of the prompt; use echo for completions"},
    {"prompt_embeds", kCompletions, Use::kRefused, "", Kind::kAny, "a prompt of embeddings"},
    {"truncate_prompt_tokens", kBoth, Use::kRefused, "", Kind::kAny, "a truncated prompt"},
    {"return_tokens_as_token_ids", kBoth, Use::kRefused, "false", Kind::kAny,
     "tokens shown as their ids"},
    {"return_hidden_states", kBoth, Use::kRefused, "false", Kind::kAny, "hidden states"},
    {"session_id", kBoth, Use::kRefused, "", Kind::kAny, "the name of a session"},
    {"session_params", kBoth, Use::kRefused, "", Kind::kAny, "the state of a session"},
    {"thinking", kChat, Use::kRefused, "\"\"", Kind::kAny,
     "a variable of chat templates; use chat_template_kwargs"},
    {"reasoning", kChat, Use::kRefused, "", Kind::kAny,
     "an object about reasoning; use reasoning_effort"},
    {"thinking_token_budget", kBoth, Use::kRefused, "-1", Kind::kAny,
     "a limit for the reasoning; use custom_params.thinking_budget"},
    {"logprob_token_ids", kBoth, Use::kRefused, "", Kind::kAny, "ids whose logprobs to report"},
    {"repetition_detection", kBoth, Use::kRefused, "", Kind::kAny, "stopping at repeated tokens"},
    {"watermarking", kBoth, Use::kRefused, "false", Kind::kAny, "a watermark in the text"},
    {"truncation_side", kBoth, Use::kRefused, "", Kind::kAny, "a truncated prompt"},
    {"media_io_kwargs", kChat, Use::kRefused, "", Kind::kAny, "how media files are read"},
    {"images_config", kBoth, Use::kRefused, "", Kind::kAny, "how media files are read"},
    {"task", kChat, Use::kRefused, "", Kind::kAny, "a task of one model family"},
    {"return_prompt_text", kChat, Use::kRefused, "false", Kind::kAny, "the rendered prompt"},
    {"return_meta_info", kChat, Use::kRefused, "false", Kind::kAny, "additional figures"},
    {"return_routed_experts", kBoth, Use::kRefused, "false", Kind::kAny, "another output"},
    {"kv_transfer_params", kBoth, Use::kRefused, "", Kind::kAny, "the cache of another server"},
    {"vllm_xargs", kBoth, Use::kRefused, "", Kind::kAny, "parameters of custom extensions"},
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

namespace {

Result<void, RecordError> CheckWord(const BodyField& field, const Json& value) {
  for (std::string_view rest = field.words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('|'));
    if (word == value.as_string()) return {};
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  std::string words(field.words);
  for (std::size_t bar = words.find('|'); bar != std::string::npos; bar = words.find('|', bar)) {
    words.replace(bar, 1, ", ");
  }
  return request::BadValue(field.name, value.Excerpt(), "one of " + words);
}

bool IsOfKind(Kind kind, const Json& value) {
  switch (kind) {
    case Kind::kBool:
      return value.is_bool();
    case Kind::kString:
      return value.is_string();
    case Kind::kObject:
      return value.is_object();
    case Kind::kInteger:
      return value.is_int();
    case Kind::kStrings:
      return value.is_string() ||
             (value.is_array() && std::ranges::all_of(value.as_array(), [](const Json& one) {
                return one.is_string() || one.is_null();
              }));
    default:
      return true;
  }
}

}  // namespace

Result<void, RecordError> CheckKind(const BodyField& field, const Json& value) {
  if (!IsOfKind(field.kind, value)) {
    return request::BadValue(field.name, value.Excerpt(), request::KindPhrase(field.kind));
  }
  if (field.words.empty()) return {};
  return CheckWord(field, value);
}

Result<void, RecordError> CheckMembers(
    const Json& object, const std::string& prefix,
    std::initializer_list<std::pair<std::string_view, Kind>> kinds) {
  for (const auto& [name, kind] : kinds) {
    const Json* const value = object.Find(name);
    if (value == nullptr || value->is_null() || IsOfKind(kind, *value)) continue;
    return request::BadValue(prefix + std::string(name), value->Excerpt(),
                             request::KindPhrase(kind));
  }
  return {};
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
  std::string out = "Fields of the body of an OpenAI line (chat, completions, or both)\n";
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
