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
                  {"It is tokenized as the model's tokenizer asks for, without a chat template; "
                   "special tokens written in it become special tokens. A list of strings is a "
                   "batch: the row is then an array with one result for each.",
                   true}),
      RecordField("input_ids", Kind::kTokenIds, "null", "the prompt as token ids",
                  {"Used as they are: no beginning-of-sequence token is added. They win over text. "
                   "A list of lists is a batch.",
                   true}),
      RecordField("input_embeds", Kind::kRows, "null", "the prompt as embeddings",
                  {"A [tokens][hidden] matrix in place of the embedding lookup; a list of matrices "
                   "is a batch. Prompt logprobs cannot be asked for together with it.",
                   true}),
      RecordField(
          "messages", Kind::kAny, "null", "a conversation in place of a prompt",
          {"An array of objects with `role` and `content`, rendered with the model's chat "
           "template (or that of --template), the turn of the assistant opened. A content is a "
           "text, or an array of text parts, which the template gets where it shows parts; "
           "elsewhere their texts are joined with a space. Members that are null count as absent, "
           "and arguments of tool calls may be objects or their JSON texts. Only a message with "
           "tool_calls, reasoning or tools may be without a content. `sglrun template --served` "
           "shows the prompt. An extension: SGLang's /generate has no such field.",
           false}),
      RecordField("tools", Kind::kAny, "null", "functions that the chat template shows",
                  {"An array of objects, beside messages only.", false}),
      RecordField("documents", Kind::kAny, "null", "documents that the chat template shows",
                  {"An array of objects, beside messages only.", false}),
      RecordField("chat_template", Kind::kString, "null", "a chat template for this record alone",
                  {"Beside messages only. The model's special tokens stay its variables.", false}),
      RecordField("chat_template_kwargs", Kind::kObject, "{}",
                  "more variables of the chat template",
                  {"Beside messages only; `enable_thinking`, `reasoning_effort` and the like. "
                   "add_generation_prompt and continue_final_message may stand in it, too.",
                   false}),
      RecordField("add_generation_prompt", Kind::kBool, "true",
                  "open the turn of the assistant after the messages",
                  {"Beside messages only. False where continue_final_message is true.", false}),
      RecordField("continue_final_message", Kind::kBool, "false",
                  "let the answer go on with the text of the last message",
                  {"Beside messages only. What the template writes after that text is left out, as "
                   "in transformers and vLLM.",
                   false}),
      RecordField("enable_thinking", Kind::kBool, "null",
                  "a variable of the chat template that services take as a field",
                  {"Beside messages only; the same as in chat_template_kwargs.", false}),
      RecordField("sampling_params", Kind::kSamplingParams, "{}",
                  "how tokens are chosen and when to stop",
                  {"An object, or one object for each prompt of a batch. Unknown names inside it "
                   "are errors.",
                   true}),
      RecordField("rid", Kind::kString, "null", "the id shown as meta_info.id",
                  {"For a batch, R becomes R_0, R_1, ... in the order of the results. Without it "
                   "the id is 32 hexadecimal digits made from the record's content, stable "
                   "between runs.",
                   true}),
  };
}

std::vector<Field> OutputFields() {
  return {
      RecordField("return_logprob", Kind::kBool, "false", "give logprobs of the tokens",
                  {"", true}),
      RecordField("logprob_start_len", Kind::kInteger, "-1",
                  "first prompt position with logprobs, -1 for none",
                  {"The first reported position has the logprob null. Looked at only with "
                   "return_logprob.",
                   true,
                   {-1, kInf}}),
      RecordField("top_logprobs_num", Kind::kInteger, "0",
                  "how many of the most likely tokens to report at each position",
                  {"More than the vocabulary is clipped to it.",
                   true,
                   {.low = 0, .high = kInf, .clips = true}}),
      RecordField("token_ids_logprob", Kind::kIntegers, "null",
                  "ids whose logprobs to report at each position",
                  {"A list of lists gives each prompt of a batch its own.", true, {0, kInf}}),
      RecordField("return_text_in_logprobs", Kind::kBool, "false",
                  "put the text of each token into the logprobs"),
      RecordField("return_hidden_states", Kind::kHiddenStates, "false",
                  "give the final hidden states, \"last\" for the last position only",
                  {"The states after the final norm: a matrix of all prompt rows, then one row for "
                   "each generated token but the last.",
                   true}),
      RecordField("return_prompt_token_ids", Kind::kBool, "false",
                  "give the token ids of the prompt"),
      RecordField("return_sampling_mask", Kind::kBool, "false",
                  "give the ids that top_k, top_p and min_p kept at each step",
                  {"Needs top_k between 1 and 4096.", true}),
      RecordField("require_reasoning", Kind::kBool, "false",
                  "begin the constraint after the thinking",
                  {"Tokens are free until the end of the reasoning (--reasoning-end) has come; "
                   "what follows must be a member. A model that ends its text while it still "
                   "thinks ends the record, with complete false; a thinking_budget makes sure that "
                   "the constraint begins. Without a constraint it has no effect."}),
      RecordField("stream", Kind::kBool, "false", "accepted; one row is written all the same",
                  {"Partial results are written with --stream-jsonl."}),
  };
}

std::vector<Field> IgnoredFields() {
  std::vector<Field> fields;
  for (const std::string_view name : {"log_metrics", "no_logs", "custom_labels", "received_time",
                                      "external_trace_header", "conversation_id"}) {
    fields.push_back(Ignored(name, "accepted without effect: a server's log"));
  }
  for (const std::string_view name :
       {"priority",           "extra_key",      "cache_salt",         "routing_key",
        "background",         "routed_dp_rank", "data_parallel_rank", "disagg_prefill_dp_rank",
        "decode_tp_size",     "kv_router_hint", "kv_hints",           "bootstrap_host",
        "bootstrap_port",     "bootstrap_room", "bootstrap_pair_key", "need_wait_for_mm_inputs",
        "num_items_assigned", "encoder_urls",   "http_worker_ipc",    "lora_id"}) {
    fields.push_back(Ignored(name, "accepted without effect: a server's scheduling"));
  }
  fields.push_back(Ignored("modalities", "accepted without effect: no media is taken"));
  return fields;
}

std::vector<Field> RefusedFields() {
  std::vector<Field> fields = {
      Refused(kRecord, "image_data", "null", "images"),
      Refused(kRecord, "audio_data", "null", "sounds"),
      Refused(kRecord, "video_data", "null", "videos"),
      Refused(kRecord, "session_params", "null", "the turn of a session"),
      Refused(kRecord, "session_id", "null", "the name of a session"),
      Refused(kRecord, "lora_path", "null", "a LoRA adapter",
              "Null, an empty string and a list of nulls mean none."),
      Refused(kRecord, "custom_logit_processor", "null", "a logit processor",
              "An empty string means none."),
      Refused(kRecord, "max_thinking_tokens", "null", "the longest thinking",
              "thinking_budget in sampling_params.custom_params bounds it."),
      Refused(kRecord, "sampling_logprobs_mode", "\"selected\"",
              "which logprobs return_sampling_mask gives"),
      Refused(kRecord, "routed_experts_start_len", "0", "first position of return_routed_experts"),
  };
  for (const std::string_view name :
       {"return_entropy", "return_bytes", "return_routed_experts", "return_indexer_topk",
        "return_flat_raw_top_logprobs", "return_flat_raw_top_logprobs_b64",
        "return_flat_raw_output_top_logprobs"}) {
    fields.push_back(Refused(kRecord, name, "false", "a further output"));
  }
  for (const std::string_view name : {"multi_item_delimiter_indices", "positional_embed_overrides",
                                      "token_indices_to_pool", "watermark"}) {
    fields.push_back(Refused(kRecord, name, "null", "a further way to run a prompt"));
  }
  for (const std::string_view name :
       {"video_config", "use_audio_in_video", "mm_hashes", "mm_content_hashes",
        "mm_processor_kwargs", "images_config", "max_dynamic_patch", "min_dynamic_patch",
        "image_max_dynamic_patch", "video_max_dynamic_patch"}) {
    fields.push_back(Refused(kRecord, name, "null", "how media are read"));
  }
  return fields;
}

std::vector<Field> LengthParameters() {
  return {
      Parameter("max_new_tokens", Kind::kInteger, "128", &SamplingParams::max_new_tokens,
                "most tokens to generate; null: as many as fit",
                "A number that does not fit the context together with the prompt is an error; the "
                "built-in default is clipped to what fits. 0 scores the prompt.",
                {{0, kInf}}),
      Parameter("min_new_tokens", Kind::kInteger, "0", &SamplingParams::min_new_tokens,
                "tokens before which no stop token may come",
                "It delays neither stop strings and patterns nor the end of a constraint that "
                "allows nothing else.",
                {{0, kInf}}),
      Parameter("n", Kind::kInteger, "1", &SamplingParams::n, "samples of each prompt",
                "With more than one the row is an array: all samples of the first prompt, then of "
                "the second.",
                {{1, kMaxSamples}}),
      Parameter(
          "stop", Kind::kStrings, "null", &SamplingParams::stop,
          "strings that end the text; they are cut off",
          "At most 32, none empty. They are found across token boundaries, and in special tokens.",
          {{}, kMaxStops}),
      Parameter("stop_regex", Kind::kStrings, "null", &SamplingParams::stop_regex,
                "patterns (PCRE2) that end the text; what they match stays",
                "At most 32, none empty, each at most 256 bytes. ^ is the start of the output, $ "
                "its present end. They see whole characters only. Patterns with look-around, "
                "back-references, atomic groups or possessive quantifiers are searched by "
                "backtracking, for which a record has 20,000,000 steps; all others read each "
                "character once.",
                {{}, kMaxStops, kMaxRegexBytes}),
      Parameter("stop_token_ids", Kind::kIntegers, "null", &SamplingParams::stop_token_ids,
                "further token ids that end the text",
                "Ids outside the vocabulary have no effect and give a warning.", {{.clips = true}}),
      Parameter("ignore_eos", Kind::kBool, "false", &SamplingParams::ignore_eos,
                "do not end at stop tokens, stop_token_ids included"),
      Parameter("no_stop_trim", Kind::kBool, "false", &SamplingParams::no_stop_trim,
                "leave the stop string or token in the text"),
      Parameter("skip_special_tokens", Kind::kBool, "true", &SamplingParams::skip_special_tokens,
                "leave special tokens out of the text"),
      {kSampling,
       "spaces_between_special_tokens",
       Kind::kBool,
       false,
       kNoEffect,
       "true",
       "accepted without effect, as with every fast tokenizer",
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
       "accepted; chunks are written as tokens come",
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
                "divides the logits; below 0.000001: the most likely token always", "",
                {{0, kInf}}),
      Parameter("top_p", Kind::kNumber, "1.0", &SamplingParams::top_p,
                "keep the most likely tokens up to this probability in sum", "", {{0, 1, true}}),
      Parameter("top_k", Kind::kInteger, "-1", &SamplingParams::top_k,
                "keep this many of the most likely tokens; -1: all",
                "1 is greedy whatever the temperature.", {{1, kInf, false, -1, true}}),
      Parameter("min_p", Kind::kNumber, "0.0", &SamplingParams::min_p,
                "keep tokens with at least this share of the best probability", "", {{0, 1}}),
      Parameter("frequency_penalty", Kind::kNumber, "0.0", &SamplingParams::frequency_penalty,
                "taken from a logit for each time the token was generated", "", {{-2, 2}}),
      Parameter("presence_penalty", Kind::kNumber, "0.0", &SamplingParams::presence_penalty,
                "taken from a logit once the token was generated", "", {{-2, 2}}),
      Parameter("repetition_penalty", Kind::kNumber, "1.0", &SamplingParams::repetition_penalty,
                "divides (or multiplies, if negative) the logit of generated tokens",
                "1 is no penalty. Tokens of the prompt are not counted.", {{0, 2, true}}),
      Parameter("logit_bias", Kind::kTokenBias, "null", &SamplingParams::logit_bias,
                "numbers added to logits, by token id",
                "An object whose keys are token ids in decimal digits."),
      Parameter("sampling_seed", Kind::kInteger, "null", &SamplingParams::sampling_seed,
                "the seed of the draws",
                "Without it the seed is derived from --seed, the prompt and the parameters that "
                "decide its tokens, so that a result depends on no neighbour, no line number and "
                "no other output that is asked for. Copies of a prompt with equal parameters draw "
                "different samples.",
                {{kMinInt64, -kMinInt64}}),
  };
}

std::vector<Field> ConstraintParameters() {
  return {
      Parameter(
          "json_schema", Kind::kSchema, "null", ConstraintKind::kJsonSchema,
          "a JSON Schema that the text must satisfy",
          "JSON text, or the schema itself. $$ANY$$ is any object or array. A record may set only "
          "one of json_schema, regex, ebnf and structural_tag; an empty string sets none."),
      Parameter("regex", Kind::kString, "null", ConstraintKind::kRegex,
                "a regular expression that the whole text must match"),
      Parameter("ebnf", Kind::kString, "null", ConstraintKind::kEbnf,
                "a grammar (GBNF) whose rule root the text must follow"),
      Parameter("structural_tag", Kind::kTag, "null", ConstraintKind::kStructuralTag,
                "tags between which the text is constrained", "JSON text, or the object itself."),
      Parameter("custom_params", Kind::kObject, "null", &SamplingParams::thinking_budget,
                "an object; thinking_budget in it bounds the tokens before a constraint begins",
                "thinking_budget is an integer of at least 0 and counts where the record's "
                "require_reasoning is true: after that many tokens the end of the reasoning "
                "(--reasoning-end) is forced. Other members are parameters of a "
                "custom_logit_processor, without effect alone."),
  };
}

std::vector<Field> RefusedParameters() {
  return {
      Refused(kSampling, "beam_width", "1", "the width of a beam search"),
      Refused(kSampling, "dtype", "null", "\"int\", with --compat 2024 only",
              "It left SGLang in 2024; a regex does the same, for \"int\" -?[0-9]+."),
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
