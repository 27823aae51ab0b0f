#include "request/fields.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "base/strings.h"
#include "base/utf8.h"

namespace sglrun::request {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr auto kRecord = Scope::kRecord;
constexpr auto kSampling = Scope::kSamplingParams;
constexpr auto kUsed = Treatment::kUsed;
constexpr auto kNoEffect = Treatment::kNoEffect;
constexpr auto kUnsupported = Treatment::kUnsupported;

// Limits of SGLang 0.5.23 (strings), and ours so that one line cannot ask for endless memory (n).
constexpr std::size_t kMaxStops = 32;
constexpr std::size_t kMaxRegexBytes = 256;
constexpr double kMaxSamples = 4096;

// Names that differ from their neighbours by nothing but the name.
Field Ignored(std::string_view name, std::string_view summary) {
  return {kRecord, name, Kind::kAny, false, kNoEffect, "null", summary, "", {}, 0, 0, {}};
}

Field Refused(Scope scope, std::string_view name, std::string_view default_json,
              std::string_view summary, std::string_view details = "") {
  return {scope, name, Kind::kAny, false, kUnsupported, default_json, summary, details,
          {},    0,    0,          {}};
}

struct Details {
  std::string_view text = "";
  bool per_prompt = false;
  Range range = {};
};

Field RecordField(std::string_view name, Kind kind, std::string_view default_json,
                  std::string_view summary, Details more = {}) {
  return {kRecord, name, kind, more.per_prompt, kUsed, default_json, summary, more.text, more.range,
          0,       0,    {}};
}

struct Limits {
  Range range = {};
  std::size_t max_items = 0;
  std::size_t max_item_bytes = 0;
};

Field Parameter(std::string_view name, Kind kind, std::string_view default_json, Member member,
                std::string_view summary, std::string_view details = "", Limits limits = {}) {
  return {kSampling,
          name,
          kind,
          false,
          kUsed,
          default_json,
          summary,
          details,
          limits.range,
          limits.max_items,
          limits.max_item_bytes,
          member};
}

std::vector<Field> PromptFields() {
  return {
      RecordField("text", Kind::kString, "null", "the prompt",
                  {"It is tokenized by the model's tokenizer, without a chat template. Special "
                   "tokens spelled in it become special tokens. A list of strings is a batch: the "
                   "row is then an array with one result for each string.",
                   true}),
      RecordField("input_ids", Kind::kTokenIds, "null", "the prompt as token ids",
                  {"They are used unchanged: no beginning-of-sequence token is added. They take "
                   "precedence over text. A list of lists is a batch.",
                   true}),
      RecordField("input_embeds", Kind::kRows, "null", "the prompt as embeddings",
                  {"A [tokens][hidden] matrix in place of the embedding lookup; a list of matrices "
                   "is a batch. It cannot be combined with prompt logprobs.",
                   true}),
      RecordField(
          "messages", Kind::kAny, "null", "a conversation in place of a prompt",
          {"An array of objects with `role` and `content`, rendered with the model's chat template "
           "(or that of --template), followed by the beginning of the assistant's turn. `content` "
           "is a text or an array of text parts. If the template does not handle parts, their "
           "texts are joined with a space. Members that are null count as absent. The arguments of "
           "tool calls may be objects or JSON texts. Only a message with tool_calls, reasoning or "
           "tools may lack a content. `sglrun template --served` shows the prompt. This field is "
           "an extension: SGLang's /generate does not have it.",
           false}),
      RecordField("tools", Kind::kAny, "null",
                  "functions that the model may call, for the chat template",
                  {"An array of objects. Allowed only together with messages.", false}),
      RecordField("documents", Kind::kAny, "null", "documents, for the chat template",
                  {"An array of objects. Allowed only together with messages.", false}),
      RecordField("chat_template", Kind::kString, "null", "a chat template for this record alone",
                  {"Allowed only together with messages. The template can use the model's special "
                   "tokens as variables.",
                   false}),
      RecordField("chat_template_kwargs", Kind::kObject, "{}",
                  "further variables of the chat template",
                  {"Allowed only together with messages. Examples are `enable_thinking` and "
                   "`reasoning_effort`. It may also contain add_generation_prompt and "
                   "continue_final_message.",
                   false}),
      RecordField(
          "add_generation_prompt", Kind::kBool, "true",
          "begin the assistant's turn after the messages",
          {"Allowed only together with messages. It is false if continue_final_message is true.",
           false}),
      RecordField("continue_final_message", Kind::kBool, "false",
                  "let the answer continue the text of the last message",
                  {"Allowed only together with messages. Text that the template writes after the "
                   "last message is left out, as in transformers and vLLM.",
                   false}),
      RecordField(
          "enable_thinking", Kind::kBool, "null",
          "a variable of the chat template, which some servers accept as a field",
          {"Allowed only together with messages. The same as in chat_template_kwargs.", false}),
      RecordField("sampling_params", Kind::kSamplingParams, "{}",
                  "how to choose tokens and when to stop",
                  {"An object, or one object for each prompt of a batch. Unknown names inside it "
                   "are errors.",
                   true}),
      RecordField("rid", Kind::kString, "null", "the id shown as meta_info.id",
                  {"For a batch, R becomes R_0, R_1, ... in the order of the results. Without it "
                   "the id is 32 hexadecimal digits computed from the content of the record; it is "
                   "the same in every run.",
                   true}),
  };
}

std::vector<Field> OutputFields() {
  return {
      RecordField("return_logprob", Kind::kBool, "false", "return the logprobs of the tokens",
                  {"", true}),
      RecordField("logprob_start_len", Kind::kInteger, "-1",
                  "first prompt position with logprobs; -1: none",
                  {"The first reported position has the logprob null. It has an effect only with "
                   "return_logprob.",
                   true,
                   {-1, kInf}}),
      RecordField("top_logprobs_num", Kind::kInteger, "0",
                  "number of most likely tokens to report at each position",
                  {"A number above the size of the vocabulary is reduced to it.",
                   true,
                   {.low = 0, .high = kInf, .clips = true}}),
      RecordField("token_ids_logprob", Kind::kIntegers, "null",
                  "ids whose logprobs to report at each position",
                  {"In a batch, a list of lists gives each prompt its own ids.", true, {0, kInf}}),
      RecordField("return_text_in_logprobs", Kind::kBool, "false",
                  "include the text of each token in the logprobs"),
      RecordField("return_hidden_states", Kind::kHiddenStates, "false",
                  "return the final hidden states; \"last\": of the last position only",
                  {"The states after the final norm: a matrix of all prompt rows, then one row for "
                   "each generated token but the last.",
                   true}),
      RecordField("return_prompt_token_ids", Kind::kBool, "false",
                  "return the token ids of the prompt"),
      RecordField("return_sampling_mask", Kind::kBool, "false",
                  "return the ids that passed top_k, top_p and min_p at each step",
                  {"Needs top_k between 1 and 4096.", true}),
      RecordField("require_reasoning", Kind::kBool, "false",
                  "apply the constraint only after the reasoning",
                  {"Tokens are free until the end of the reasoning (--reasoning-end); the text "
                   "after it must satisfy the constraint. If the model ends its text before that, "
                   "the result has complete false; a thinking_budget prevents this. Without a "
                   "constraint the field has no effect."}),
      RecordField("lora_path", Kind::kString, "null",
                  "the adapter (LoRA) with which the prompt runs",
                  {"A name of --lora, or a directory relative to the file of the record or to "
                   "--lora-root. Null "
                   "and an empty string mean the model alone. In a batch, a list gives each prompt "
                   "its own. "
                   "Adapters never split a batch.",
                   true}),
      RecordField("stream", Kind::kBool, "false", "accepted; one row is written in any case",
                  {"Partial results are written with --stream-jsonl."}),
  };
}

std::vector<Field> IgnoredFields() {
  std::vector<Field> fields;
  for (const std::string_view name : {"log_metrics", "no_logs", "custom_labels", "received_time",
                                      "external_trace_header", "conversation_id"}) {
    fields.push_back(Ignored(name, "accepted without effect: for the log of a server"));
  }
  for (const std::string_view name :
       {"priority",           "extra_key",      "cache_salt",         "routing_key",
        "background",         "routed_dp_rank", "data_parallel_rank", "disagg_prefill_dp_rank",
        "decode_tp_size",     "kv_router_hint", "kv_hints",           "bootstrap_host",
        "bootstrap_port",     "bootstrap_room", "bootstrap_pair_key", "need_wait_for_mm_inputs",
        "num_items_assigned", "encoder_urls",   "http_worker_ipc",    "lora_id"}) {
    fields.push_back(Ignored(name, "accepted without effect: for the scheduler of a server"));
  }
  fields.push_back(Ignored("modalities", "accepted without effect: media are not supported"));
  return fields;
}

std::vector<Field> RefusedFields() {
  std::vector<Field> fields = {
      Refused(kRecord, "image_data", "null", "images"),
      Refused(kRecord, "audio_data", "null", "audio"),
      Refused(kRecord, "video_data", "null", "video"),
      Refused(kRecord, "session_params", "null", "the state of a session"),
      Refused(kRecord, "session_id", "null", "the name of a session"),
      Refused(kRecord, "custom_logit_processor", "null", "a logit processor",
              "An empty string means none."),
      Refused(kRecord, "max_thinking_tokens", "null", "a limit for the reasoning",
              "Use thinking_budget in sampling_params.custom_params instead."),
      Refused(kRecord, "sampling_logprobs_mode", "\"selected\"",
              "which logprobs return_sampling_mask returns"),
      Refused(kRecord, "routed_experts_start_len", "0", "first position of return_routed_experts"),
  };
  for (const std::string_view name :
       {"return_entropy", "return_bytes", "return_routed_experts", "return_indexer_topk",
        "return_flat_raw_top_logprobs", "return_flat_raw_top_logprobs_b64",
        "return_flat_raw_output_top_logprobs"}) {
    fields.push_back(Refused(kRecord, name, "false", "another output"));
  }
  for (const std::string_view name : {"multi_item_delimiter_indices", "positional_embed_overrides",
                                      "token_indices_to_pool", "watermark"}) {
    fields.push_back(Refused(kRecord, name, "null", "another way to run a prompt"));
  }
  for (const std::string_view name :
       {"video_config", "use_audio_in_video", "mm_hashes", "mm_content_hashes",
        "mm_processor_kwargs", "images_config", "max_dynamic_patch", "min_dynamic_patch",
        "image_max_dynamic_patch", "video_max_dynamic_patch"}) {
    fields.push_back(Refused(kRecord, name, "null", "how media files are read"));
  }
  return fields;
}

std::vector<Field> LengthParameters() {
  return {
      Parameter("max_new_tokens", Kind::kInteger, "128", &SamplingParams::max_new_tokens,
                "maximum number of generated tokens; null: as many as fit",
                "A number that does not fit into the context together with the prompt is an error. "
                "The built-in default is reduced to what fits. 0 only scores the prompt.",
                {{0, kInf}}),
      Parameter("min_new_tokens", Kind::kInteger, "0", &SamplingParams::min_new_tokens,
                "number of tokens before the first stop token is allowed",
                "It does not delay stop strings and patterns, nor the end of a constraint that "
                "allows no other token.",
                {{0, kInf}}),
      Parameter("n", Kind::kInteger, "1", &SamplingParams::n, "number of samples for each prompt",
                "If it is above 1, the row is an array: all samples of the first prompt, then "
                "those of the second, and so on.",
                {{1, kMaxSamples}}),
      Parameter("stop", Kind::kStrings, "null", &SamplingParams::stop,
                "strings that end the text; they are removed from it",
                "At most 32, none of them empty. They are found across token boundaries and in the "
                "text of special tokens.",
                {{}, kMaxStops}),
      Parameter(
          "stop_regex", Kind::kStrings, "null", &SamplingParams::stop_regex,
          "patterns (PCRE2) that end the text; the match stays in it",
          "At most 32, none of them empty, each at most 256 bytes. ^ is the start of the output "
          "and $ its current end. They see whole characters only. Most patterns read each "
          "character once. Patterns with look-around, back-references, atomic groups or possessive "
          "quantifiers are searched by backtracking, with at most 20,000,000 steps per record.",
          {{}, kMaxStops, kMaxRegexBytes}),
      Parameter("stop_token_ids", Kind::kIntegers, "null", &SamplingParams::stop_token_ids,
                "additional token ids that end the text",
                "Ids outside the vocabulary have no effect and give a warning.", {{.clips = true}}),
      Parameter("ignore_eos", Kind::kBool, "false", &SamplingParams::ignore_eos,
                "do not end at stop tokens, including stop_token_ids"),
      Parameter("no_stop_trim", Kind::kBool, "false", &SamplingParams::no_stop_trim,
                "keep the stop string or token in the text"),
      Parameter("skip_special_tokens", Kind::kBool, "true", &SamplingParams::skip_special_tokens,
                "leave special tokens out of the text"),
      {kSampling,
       "spaces_between_special_tokens",
       Kind::kBool,
       false,
       kNoEffect,
       "true",
       "accepted without effect, as with all fast tokenizers",
       "",
       {},
       0,
       0,
       {}},
      {kSampling,
       "stream_interval",
       Kind::kInteger,
       false,
       kNoEffect,
       "null",
       "accepted; partial results are written token by token",
       "",
       {1, kInf},
       0,
       0,
       {}},
  };
}

std::vector<Field> ChoiceParameters() {
  constexpr double kMinInt64 = -0x1p63;
  return {
      Parameter("temperature", Kind::kNumber, "1.0", &SamplingParams::temperature,
                "divides the logits; below 0.000001: greedy decoding", "", {{0, kInf}}),
      Parameter("top_p", Kind::kNumber, "1.0", &SamplingParams::top_p,
                "keep the most likely tokens up to this total probability", "", {{0, 1, true}}),
      Parameter("top_k", Kind::kInteger, "-1", &SamplingParams::top_k,
                "keep this many of the most likely tokens; -1: all",
                "1 is greedy decoding at any temperature.", {{1, kInf, false, -1, true}}),
      Parameter("min_p", Kind::kNumber, "0.0", &SamplingParams::min_p,
                "keep tokens with at least this fraction of the highest probability", "", {{0, 1}}),
      Parameter("frequency_penalty", Kind::kNumber, "0.0", &SamplingParams::frequency_penalty,
                "subtracted from a logit once for each time its token was generated", "",
                {{-2, 2}}),
      Parameter("presence_penalty", Kind::kNumber, "0.0", &SamplingParams::presence_penalty,
                "subtracted from a logit if its token was generated", "", {{-2, 2}}),
      Parameter("repetition_penalty", Kind::kNumber, "1.0", &SamplingParams::repetition_penalty,
                "divides (if negative: multiplies) the logits of generated tokens",
                "1 means no penalty. Tokens of the prompt are not counted.", {{0, 2, true}}),
      Parameter("logit_bias", Kind::kTokenBias, "null", &SamplingParams::logit_bias,
                "numbers added to logits, by token id",
                "An object whose keys are token ids in decimal digits."),
      Parameter("sampling_seed", Kind::kInteger, "null", &SamplingParams::sampling_seed,
                "seed of the random draws",
                "Without it the seed is computed from --seed, the prompt and the parameters that "
                "influence its tokens. It does not depend on other records, the line number or "
                "other requested outputs. If the same prompt with the same parameters occurs "
                "several times, each occurrence gets a different sample.",
                {{kMinInt64, -kMinInt64}}),
  };
}

std::vector<Field> ConstraintParameters() {
  return {
      Parameter("json_schema", Kind::kSchema, "null", ConstraintKind::kJsonSchema,
                "a JSON Schema that the text must satisfy",
                "JSON text, or the schema itself. $$ANY$$ stands for any object or array. A record "
                "may set only one of json_schema, regex, ebnf and structural_tag; an empty string "
                "sets none."),
      Parameter("regex", Kind::kString, "null", ConstraintKind::kRegex,
                "a regular expression that the whole text must match"),
      Parameter("ebnf", Kind::kString, "null", ConstraintKind::kEbnf,
                "a grammar (GBNF) that the whole text must match; its start rule is root"),
      Parameter("structural_tag", Kind::kTag, "null", ConstraintKind::kStructuralTag,
                "free text with constrained parts between tags",
                "JSON text, or the object itself."),
      Parameter(
          "custom_params", Kind::kObject, "null", &SamplingParams::thinking_budget,
          "an object; its thinking_budget limits the tokens before a constraint begins",
          "thinking_budget is an integer of at least 0. It applies if require_reasoning is true: "
          "after this number of tokens the end of the reasoning (--reasoning-end) is forced. Other "
          "members are parameters of a custom_logit_processor and have no effect."),
  };
}

std::vector<Field> RefusedParameters() {
  return {
      Refused(kSampling, "beam_width", "1", "the number of beams"),
      Refused(kSampling, "dtype", "null", "\"int\", with --compat 2024 only",
              "SGLang removed it in 2024. A regex does the same: for \"int\" -?[0-9]+."),
  };
}

std::vector<Field> MakeTable() {
  std::vector<Field> table;
  for (const auto& part :
       {PromptFields(), OutputFields(), LengthParameters(), ChoiceParameters(),
        ConstraintParameters(), RefusedParameters(), RefusedFields(), IgnoredFields()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  // Fields of the record first: readers look for them before the parameters.
  std::stable_partition(table.begin(), table.end(),
                        [](const Field& field) { return field.scope == kRecord; });
  return table;
}

std::string Number(double value) {
  // The bound of integers of 64 bits, as a double the integer above the largest.
  if (value == 0x1p63) return std::to_string(std::numeric_limits<std::int64_t>::max());
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool IsEmptyValue(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_bool()) return !value.as_bool();
  if (value.is_string()) return value.as_string().empty();
  if (value.is_object()) return value.as_object().empty();
  return value.is_array() &&
         std::all_of(value.as_array().begin(), value.as_array().end(), IsEmptyValue);
}

}  // namespace

bool Range::Contains(double value) const {
  if (also.has_value() && value == *also) return true;
  return (low_is_open ? value > low : value >= low) && value <= high;
}

std::string Range::ToString() const {
  std::string text = also.has_value() ? Number(*also) + " or " : "";
  if (low == -kInf && high == kInf) return "";
  if (high == kInf) return text + (low_is_open ? "above " : "at least ") + Number(low);
  return text + "in " + (low_is_open ? "(" : "[") + Number(low) + ", " + Number(high) + "]";
}

std::span<const Field> Fields() {
  static const std::vector<Field> table = MakeTable();
  return table;
}

const Field* FindField(Scope scope, std::string_view name) {
  const auto fields = Fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
    return field.scope == scope && field.name == name;
  });
  return found == fields.end() ? nullptr : &*found;
}

std::string NearestFieldHint(Scope scope, std::string_view name) {
  const Scope other = scope == kRecord ? kSampling : kRecord;
  if (FindField(other, name) != nullptr) {
    return scope == kRecord ? " (it belongs inside sampling_params)"
                            : " (it belongs beside sampling_params, not inside)";
  }
  std::vector<std::string_view> names;
  for (const Field& field : Fields()) {
    if (field.scope == scope) names.push_back(field.name);
  }
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)";
}

std::string_view KindPhrase(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "a boolean";
    case Kind::kInteger:
      return "an integer";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kStrings:
      return "a string or an array of strings";
    case Kind::kIntegers:
    case Kind::kTokenIds:
      return "an array of integers";
    case Kind::kRows:
      return "an array of rows of numbers";
    case Kind::kTokenBias:
      return "an object of numbers by token id";
    case Kind::kObject:
    case Kind::kSamplingParams:
      return "an object";
    case Kind::kHiddenStates:
      return "a boolean or \"last\"";
    case Kind::kSchema:
      return "a string, an object or a boolean";
    case Kind::kTag:
      return "a string or an object";
    case Kind::kAny:
      break;
  }
  return "anything";
}

RecordError BadValue(std::string_view path, std::string_view found, std::string_view expected) {
  std::string message(path);
  message.append(" is ").append(found).append(", must be ").append(expected);
  return RecordError{std::move(message), std::string(path)};
}

std::string ShortName(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  if (name.size() <= kLongest) return std::string(name);
  name = name.substr(0, kLongest);
  name.remove_suffix(IncompleteUtf8Suffix(name));
  return std::string(name) + "...";
}

bool IsNeutral(const Field& field, const Json& value) {
  return IsEmptyValue(value) || value.CanonicalDump() == field.default_json;
}

RecordError Unsupported(const Field& field, std::string_view path) {
  std::string message(path);
  message.append(" is not supported yet (").append(field.summary).append(")");
  if (!field.details.empty()) message.append("; ").append(field.details);
  return RecordError{std::move(message), std::string(path)};
}

}  // namespace sglrun::request
