// Lines of the OpenAI dialect as requests: fields of the openai package 3.57.0 and those that vLLM
// and SGLang added to them.
#include "io/openai/body_fields.h"
#include "io/record.h"

#include <doctest/doctest.h>

#include "temp_folder.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sglrun::io {
namespace {

// A chat template that shows nothing of its record, but keeps it.
struct Seen {
  ChatRecord chat;
  ToolCallForm form = ToolCallForm::kNone;
};

RecordOptions OpenAiOptions(Seen* seen = nullptr) {
  RecordOptions options;
  options.format = LineFormat::kOpenAi;
  options.vocab_size = 1000;
  options.model_name = "tiny";
  options.detokenize = [](std::span<const std::int32_t> ids) {
    return std::to_string(ids.size()) + " tokens";
  };
  options.render_chat = [seen](ChatRecord chat) -> Result<ChatPromptIds, RecordError> {
    ChatPromptIds prompt{{1, 2, 3}, seen == nullptr ? ToolCallForm::kNone : seen->form};
    if (seen != nullptr) seen->chat = std::move(chat);
    return prompt;
  };
  return options;
}

std::string Line(const std::string& url, const std::string& body) {
  return R"({"custom_id":"a","method":"POST","url":")" + url + R"(","body":{)" + body + "}}";
}

std::string Chat(const std::string& more) {
  return Line("/v1/chat/completions",
              R"("messages":[{"role":"user","content":"hi"}])" + (more.empty() ? "" : "," + more));
}

std::string Completion(const std::string& more) {
  return Line("/v1/completions", R"("prompt":"hi")" + (more.empty() ? "" : "," + more));
}

Result<Record, RecordFailure> ParseOpenAi(const std::string& text, RecordOptions options) {
  RecordParser parser(std::move(options));
  InputRecord line;
  line.line = 1;
  line.text = text;
  return parser.Parse(line);
}

Record Served(const std::string& text, RecordOptions options = OpenAiOptions()) {
  INFO(text);
  auto record = ParseOpenAi(text, std::move(options));
  if (!record.ok()) FAIL(record.error().error.message);
  REQUIRE(record->reply != nullptr);
  return std::move(record).value();
}

RecordError Refused(const std::string& text, RecordOptions options = OpenAiOptions()) {
  INFO(text);
  auto record = ParseOpenAi(text, std::move(options));
  REQUIRE_FALSE(record.ok());
  CHECK(record.error().reply != nullptr);
  return record.error().error;
}

SamplingParams ParamsOf(const std::string& text) {
  return *Served(text).requests.at(0).sampling;
}

std::string ConstraintOf(const std::string& text) {
  const auto constraint = ParamsOf(text).constraint;
  return constraint ? constraint->text : "none";
}

TEST_CASE("a chat asks for as many tokens as fit, a completion for 16, until a length is stated") {
  CHECK_FALSE(ParamsOf(Chat("")).max_new_tokens.has_value());
  CHECK(ParamsOf(Completion("")).max_new_tokens == 16);
  CHECK(ParamsOf(Chat(R"("max_tokens":7)")).max_new_tokens == 7);
  CHECK(ParamsOf(Chat(R"("max_tokens":7,"max_completion_tokens":9)")).max_new_tokens == 9);
  CHECK(ParamsOf(Completion(R"("max_tokens":0)")).max_new_tokens == 0);
  RecordOptions options = OpenAiOptions();
  options.sampling = Json::Object{{"max_new_tokens", std::int64_t{5}}};
  CHECK(Served(Chat(""), options).requests[0].sampling->max_new_tokens == 5);
  CHECK(Served(Completion(""), options).requests[0].sampling->max_new_tokens == 5);
}

TEST_CASE("sampling parameters keep their meaning under the names of the dialect") {
  const SamplingParams params = ParamsOf(
      Chat(R"("temperature":0.5,"top_p":0.9,"presence_penalty":0.1,"frequency_penalty":-0.2,)"
           R"("seed":11,"stop":["x"],"logit_bias":{"5":-100},"top_k":3,"min_p":0.1,)"
           R"("repetition_penalty":1.1,"min_tokens":2,"stop_token_ids":[4],"ignore_eos":true,)"
           R"("include_stop_str_in_output":true,"skip_special_tokens":false)"));
  CHECK(params.temperature == 0.5);
  CHECK(params.top_p == 0.9);
  CHECK(params.presence_penalty == 0.1);
  CHECK(params.frequency_penalty == -0.2);
  CHECK(params.sampling_seed == 11);
  CHECK(params.stop == std::vector<std::string>{"x"});
  REQUIRE(params.logit_bias.size() == 1);
  CHECK(params.logit_bias[0].second == -100);
  CHECK(params.top_k == 3);
  CHECK(params.min_p == 0.1);
  CHECK(params.repetition_penalty == 1.1);
  CHECK(params.min_new_tokens == 2);
  CHECK(params.stop_token_ids == std::vector<std::int64_t>{4});
  CHECK(params.ignore_eos);
  CHECK(params.no_stop_trim);
  CHECK_FALSE(params.skip_special_tokens);
  CHECK(ParamsOf(Chat(R"("top_k":0)")).top_k == kTopKAll);
}

TEST_CASE("null stands for nothing, whatever the field") {
  for (const openai::BodyField& field : openai::BodyFields()) {
    if (field.name == "messages" || field.name == "prompt") continue;
    const std::string null = "\"" + std::string(field.name) + "\":null";
    if (field.Of(openai::Endpoint::kChat)) Served(Chat(null));
    if (field.Of(openai::Endpoint::kCompletions)) Served(Completion(null));
  }
}

TEST_CASE("errors speak of the fields of the line") {
  CHECK(Refused(Chat(R"("temperature":-1)")).message == "temperature is -1, must be at least 0");
  CHECK(Refused(Chat(R"("temperature":-1)")).param == "temperature");
  CHECK(Refused(Chat(R"("seed":"x")")).param == "seed");
  const RecordError lengths = Refused(Completion(R"("min_tokens":9,"max_tokens":5)"));
  CHECK(lengths.message == "min_tokens is 9, must be in [0, max_tokens(5)]");
  CHECK(Refused(Completion(R"("stop":"")")).param == "stop");
  CHECK(Refused(Line("/v1/completions", R"("prompt":"")")).message ==
        "prompt is \"\", must be a prompt that is not empty");
  CHECK(Refused(Line("/v1/completions", R"("prompt":[1,5000])")).param == "prompt[1]");
  CHECK(Refused(Chat(R"("n":0)")).param == "n");
}

TEST_CASE("the envelope is checked") {
  CHECK(Refused(R"({"custom_id":"a","method":"GET","url":"/v1/completions","body":{}})").param ==
        "method");
  CHECK(Refused(Line("/v1/embeddings", "")).param == "url");
  CHECK(Refused(R"({"custom_id":"a","method":"POST","body":{}})").message ==
        "url is missing, must be /v1/chat/completions or /v1/completions");
  CHECK(Refused(R"({"custom_id":1,"method":"POST","url":"/v1/completions","body":{}})").param ==
        "custom_id");
  CHECK(Refused(R"({"custom_id":"a","method":"POST","url":"/v1/completions"})").param == "body");
  CHECK(Refused(R"({"custom_id":"a","method":"POST","url":"/v1/completions","body":[]})").param ==
        "body");
  CHECK(Refused(Line("/v1/completions", "")).message == "prompt is missing");
  CHECK(Refused(Line("/v1/chat/completions", "")).message == "messages is missing");
  CHECK(Refused("[]").message == "a record must be a JSON object, found an array");
}

TEST_CASE("a custom_id names the row, and does not change what is drawn") {
  const Record a = Served(Completion(""));
  CHECK(a.rid == "a");
  CHECK(a.reply->custom_id == "a");
  std::string other = Completion("");
  other.replace(other.find("\"a\""), 3, "\"b\"");
  const Record b = Served(other);
  CHECK(b.content_hash == a.content_hash);
  CHECK(b.requests[0].seed == a.requests[0].seed);
  CHECK(b.resume_key != a.resume_key);
}

TEST_CASE("a custom_id that was used before gives a warning, an error with --strict") {
  for (const bool strict : {false, true}) {
    RecordOptions options = OpenAiOptions();
    options.strict = strict;
    RecordParser parser(options);
    InputRecord line;
    line.text = Completion("");
    CHECK(parser.Parse(line).ok());
    line.text = Completion("\"n\":2");
    const auto again = parser.Parse(line);
    CHECK(again.ok() != strict);
    if (strict) CHECK(again.error().error.param == "custom_id");
    if (strict) CHECK(again.error().reply->custom_id == "a");
    if (!strict) CHECK(again->warnings.at(0) == "custom_id \"a\" was used before");
  }
}

TEST_CASE("unknown fields are warnings with a hint, errors with --strict") {
  const Record record = Served(Chat(R"("temprature":1)"));
  CHECK(record.warnings.at(0) ==
        "unknown field \"temprature\" is ignored (did you mean \"temperature\"?)");
  RecordOptions strict = OpenAiOptions();
  strict.strict = true;
  CHECK(Refused(Chat(R"("temprature":1)"), strict).param == "temprature");
  CHECK(
      Refused(
          R"({"custom_id":"a","method":"POST","url":"/v1/completions","x":1,"body":{"prompt":"a"}})",
          strict)
          .param == "x");
}

TEST_CASE("fields that cannot be honoured are refused, harmless values of them are not") {
  CHECK(Refused(Chat(R"("functions":[{"name":"f"}])")).message ==
        "functions is not supported yet (the old form of tools; send tools)");
  CHECK(Refused(Completion(R"("suffix":"x")")).param == "suffix");
  CHECK(Refused(Completion(R"("best_of":3)")).param == "best_of");
  CHECK(Refused(Chat(R"("modalities":["text","audio"])")).param == "modalities");
  CHECK(Refused(Chat(R"("thinking":false)")).param == "thinking");
  CHECK(Refused(Chat(R"("thinking_token_budget":9)")).param == "thinking_token_budget");
  CHECK(Refused(Chat(R"("add_special_tokens":true)")).param == "add_special_tokens");
  CHECK(Refused(Completion(R"("add_special_tokens":false)")).param == "add_special_tokens");
  Served(Chat(
      R"("functions":[],"modalities":["text"],"continue_final_message":false,"best_of":1,)"
      R"("add_special_tokens":false,"function_call":"none","length_penalty":1.0,"bad_words":[])"));
  Served(Completion(R"("suffix":"","add_special_tokens":true)"));
  CHECK(Served(Chat(R"("verbosity":"low")")).warnings.size() == 1);
}

TEST_CASE("a prompt may be a text, ids, or an array of either") {
  CHECK(Served(Line("/v1/completions", R"("prompt":"a")")).requests[0].text == "a");
  CHECK(Served(Line("/v1/completions", R"("prompt":["a","b"],"n":2)")).requests.size() == 4);
  CHECK(Served(Line("/v1/completions", R"("prompt":["a","b"],"n":2)")).reply->samples == 2);
  CHECK(Served(Line("/v1/completions", R"("prompt":[1,2])")).requests[0].input_ids ==
        std::vector<std::int32_t>{1, 2});
  CHECK(Served(Line("/v1/completions", R"("prompt":[[1],[2,3]])")).requests.size() == 2);
  CHECK(Refused(Line("/v1/completions", R"("prompt":[])")).param == "prompt");
  CHECK(Refused(Line("/v1/completions", R"("prompt":{})")).param == "prompt");
  CHECK(Refused(Line("/v1/completions", R"("prompt":1,"echo":true)")).param == "prompt");
  CHECK(Refused(Line("/v1/completions", R"("prompt":[[1],"a"],"echo":true)")).param != "");
  Refused(Line("/v1/completions", R"("prompt":["a",1])"));
}

TEST_CASE("n of --sampling counts as the choices of each prompt, too") {
  RecordOptions options = OpenAiOptions();
  options.sampling = Json::Object{{"n", std::int64_t{3}}};
  const Record record = Served(Line("/v1/completions", R"("prompt":["a","b"])"), options);
  CHECK(record.requests.size() == 6);
  CHECK(record.reply->samples == 3);
}

TEST_CASE("logprobs of both endpoints") {
  const Record chat = Served(Chat(R"("logprobs":true,"top_logprobs":4)"));
  CHECK(chat.requests[0].return_logprob);
  CHECK(chat.requests[0].top_logprobs_num == 4);
  CHECK(chat.requests[0].logprob_start_len == -1);
  CHECK(chat.requests[0].token_bytes_in_logprobs);
  CHECK_FALSE(Served(Chat(R"("logprobs":false,"top_logprobs":0)")).requests[0].return_logprob);
  CHECK(Refused(Chat(R"("top_logprobs":4)")).message ==
        "top_logprobs is given, but logprobs is not true");
  CHECK(Refused(Chat(R"("logprobs":3)")).param == "logprobs");
  CHECK(Refused(Completion(R"("logprobs":-1)")).param == "logprobs");
  const Record completion = Served(Completion(R"("logprobs":2,"echo":true)"));
  CHECK(completion.requests[0].top_logprobs_num == 2);
  CHECK(completion.requests[0].logprob_start_len == 0);
  CHECK(completion.reply->echoed == std::vector<std::string>{"hi"});
  CHECK(Served(Completion(R"("logprobs":0)")).requests[0].return_logprob);
  CHECK(Served(Line("/v1/completions", R"("prompt":[[1,2],[3]],"echo":true)")).reply->echoed ==
        std::vector<std::string>{"2 tokens", "1 tokens"});
}

TEST_CASE("a response_format is a constraint") {
  CHECK(ConstraintOf(Chat(R"("response_format":{"type":"text"})")) == "none");
  CHECK(ConstraintOf(Chat(R"("response_format":{"type":"json_object"})")) ==
        R"({"type":"object"})");
  const std::string schema =
      R"("response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"integer"}}})";
  CHECK(ConstraintOf(Chat(schema)) == R"({"type":"integer"})");
  CHECK(ConstraintOf(Completion(schema)) == R"({"type":"integer"})");
  CHECK(Refused(Chat(R"("response_format":{"type":"xml"})")).param == "response_format.type");
  CHECK(Refused(Chat(R"("response_format":{"type":"json_schema"})")).param ==
        "response_format.json_schema");
  CHECK(Refused(Chat(R"("response_format":{"type":"json_schema","json_schema":{"name":"n"}})"))
            .param == "response_format.json_schema.schema");
  CHECK(Refused(Chat(R"("response_format":7)")).param == "response_format");
  const auto member = [](const std::string& more) {
    return Refused(Chat(R"("response_format":{"type":"json_schema","json_schema":{)" + more +
                        R"(,"name":"n"}})"))
        .param;
  };
  CHECK(member(R"("schema":{},"strict":"yes")") == "response_format.json_schema.strict");
  CHECK(member(R"("schema":{},"description":[])") == "response_format.json_schema.description");
  CHECK(member(R"("schema":"{}")") == "response_format.json_schema.schema");
}

TEST_CASE("a schema is enforced whether strict is true or not") {
  for (const char* strict : {"true", "false", "null"}) {
    CHECK(ConstraintOf(Chat(
              R"("response_format":{"type":"json_schema","json_schema":{"name":"n","strict":)" +
              std::string(strict) + R"(,"schema":{"type":"integer"}}})")) ==
          R"({"type":"integer"})");
  }
}

// Which of these values a field takes: b true, i 1, f 0.5, s "x", a [], l ["x"], o {}, p {"x":7}.
struct Kinds {
  const char* name;
  const char* chat;         // "-": no field of a chat
  const char* completions;  // the same
};

// As vllm/entrypoints/openai/*/protocol.py and sglang/srt/entrypoints/openai/protocol.py type them,
// and openai/types; a union of the three where they differ. What must be null or empty is not here.
constexpr Kinds kKinds[] = {
    {"model", "s", "s"},
    {"messages", "", "-"},
    {"prompt", "-", "sl"},
    {"max_completion_tokens", "i", "-"},
    {"max_tokens", "i", "i"},
    {"temperature", "if", "if"},
    {"top_p", "if", "if"},
    {"presence_penalty", "if", "if"},
    {"frequency_penalty", "if", "if"},
    {"logit_bias", "o", "o"},
    {"seed", "i", "i"},
    {"n", "i", "i"},
    {"stop", "sal", "sal"},
    {"logprobs", "b", "i"},
    {"top_logprobs", "", "-"},  // logprobs is not true here
    {"echo", "", "b"},
    {"tools", "a", "-"},
    {"tool_choice", "", "-"},
    {"parallel_tool_calls", "b", "-"},
    {"response_format", "", ""},
    {"reasoning_effort", "", "-"},
    {"top_k", "i", "i"},
    {"min_p", "if", "if"},
    {"repetition_penalty", "if", "if"},
    {"min_tokens", "i", "i"},
    {"stop_token_ids", "a", "a"},
    {"stop_regex", "sal", "sal"},
    {"ignore_eos", "b", "b"},
    {"include_stop_str_in_output", "b", "b"},
    {"no_stop_trim", "b", "b"},
    {"skip_special_tokens", "b", "b"},
    {"spaces_between_special_tokens", "b", "b"},
    {"custom_params", "op", "op"},
    {"structured_outputs", "o", "o"},
    {"guided_json", "bsop", "bsop"},
    {"guided_regex", "s", "s"},
    {"guided_choice", "l", "l"},
    {"guided_grammar", "s", "s"},
    {"json_schema", "bsop", "bsop"},
    {"regex", "s", "s"},
    {"ebnf", "s", "s"},
    {"structural_tag", "sop", "sop"},
    {"documents", "a", "-"},
    {"chat_template_kwargs", "op", "-"},
    {"add_generation_prompt", "b", "-"},
    {"continue_final_message", "b", "-"},
    {"enable_thinking", "b", "-"},
    {"chat_template", "s", "-"},
    {"return_token_ids", "b", "b"},
    {"return_prompt_token_ids", "b", "b"},
    {"stream", "b", "b"},
    {"stream_options", "op", "op"},
    {"user", "s", "s"},
    {"metadata", "op", "-"},
    {"store", "b", "-"},
    {"service_tier", "s", "s"},
    {"safety_identifier", "s", "-"},
    {"prompt_cache_key", "s", "-"},
    {"prompt_cache_options", "op", "-"},
    {"prompt_cache_retention", "s", "-"},
    {"prediction", "op", "-"},
    {"priority", "i", "i"},
    {"request_id", "s", "s"},
    {"rid", "sal", "sal"},
    {"cache_salt", "sal", "sal"},
    {"extra_key", "sal", "sal"},
    {"ngram_corpus_id", "sal", "sal"},
    {"stream_interval", "i", "i"},
    {"custom_labels", "op", "op"},
    {"routed_dp_rank", "i", "i"},
    {"data_parallel_rank", "i", "i"},
    {"return_mm_kwargs", "b", "b"},
    {"guided_decoding_backend", "s", "s"},
    {"separate_reasoning", "b", "-"},
    {"stream_reasoning", "b", "-"},
    {"include_reasoning", "b", "-"},
    {"verbosity", "", "-"},
};

TEST_CASE("every field of a body takes the values of its kind and no others") {
  constexpr std::pair<char, const char*> kProbes[] = {
      {'b', "true"}, {'i', "1"},        {'f', "0.5"}, {'s', R"("x")"},
      {'a', "[]"},   {'l', R"(["x"])"}, {'o', "{}"},  {'p', R"({"x":7})"}};
  for (const openai::BodyField& field : openai::BodyFields()) {
    if (field.use == openai::Use::kRefused) continue;
    const auto* kinds = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&](const Kinds& one) { return one.name == field.name; });
    REQUIRE_MESSAGE(kinds != std::end(kKinds), field.name);
    for (const auto endpoint : {openai::Endpoint::kChat, openai::Endpoint::kCompletions}) {
      if (!field.Of(endpoint)) continue;
      const bool chat = endpoint == openai::Endpoint::kChat;
      for (const auto& [letter, value] : kProbes) {
        const std::string name(field.name);
        std::string body = "\"" + name + "\":" + value;
        if (chat && name != "messages") body += R"(,"messages":[{"role":"user","content":"hi"}])";
        if (!chat && name != "prompt") body += R"(,"prompt":"hi")";
        CAPTURE(body);
        const auto record = ParseOpenAi(
            Line(chat ? "/v1/chat/completions" : "/v1/completions", body), OpenAiOptions());
        const std::string taken = chat ? kinds->chat : kinds->completions;
        CHECK(record.ok() == (taken.find(letter) != std::string::npos));
        if (!record.ok()) CHECK(record.error().error.param.starts_with(name));
      }
    }
  }
}

TEST_CASE("vLLM's and SGLang's names of constraints") {
  CHECK(ConstraintOf(Chat(R"("guided_json":{"type":"null"})")) == R"({"type":"null"})");
  CHECK(ConstraintOf(Chat(R"("guided_regex":"a+")")) == "a+");
  CHECK(ConstraintOf(Chat(R"("guided_grammar":"root ::= \"a\"")")) == "root ::= \"a\"");
  CHECK(ConstraintOf(Chat(R"("regex":"b+")")) == "b+");
  CHECK(ConstraintOf(Completion(R"("ebnf":"root ::= \"a\"")")) == "root ::= \"a\"");
  CHECK(ConstraintOf(Chat(R"("guided_choice":["a.b","c|d"])")) == R"((?:a\.b|c\|d))");
  CHECK(ConstraintOf(Chat(R"("structured_outputs":{"choice":["x"]})")) == "(?:x)");
  CHECK(ConstraintOf(Chat(R"("structured_outputs":{"json":{"type":"null"}})")) ==
        R"({"type":"null"})");
  CHECK(ConstraintOf(Chat(R"("structured_outputs":{"json_object":true,"regex":null})")) ==
        R"({"type":"object"})");
  CHECK(Refused(Chat(R"("structured_outputs":{"whitespace_pattern":" "})")).param ==
        "structured_outputs.whitespace_pattern");
  CHECK(Refused(Chat(R"("guided_choice":[])")).param == "guided_choice");
  CHECK(Refused(Chat(R"("guided_choice":[1])")).param == "guided_choice");
  CHECK(Refused(Chat(R"("guided_regex":"a","guided_json":{})")).message ==
        "guided_json and guided_regex are both given, an answer can have one constraint");
}

const std::string kTools =
    R"("tools":[{"type":"function","function":{"name":"f","parameters":{"$ref":"#/$defs/p","$defs":{"p":{"type":"object"}}}}},{"type":"function","function":{"name":"g"}}])";

TEST_CASE("tools are shown by the template, and by whom they may be called") {
  Seen seen;
  Record record = Served(Chat(kTools), OpenAiOptions(&seen));
  CHECK(seen.chat.tools.as_array().size() == 2);
  CHECK(record.reply->calls == openai::CallSyntax::kTemplate);
  CHECK(record.reply->tools == std::vector<std::string>{"f", "g"});
  record = Served(Chat(kTools + R"(,"tool_choice":"none")"), OpenAiOptions(&seen));
  CHECK(seen.chat.tools.is_null());
  CHECK(record.reply->calls == openai::CallSyntax::kNone);
}

TEST_CASE("a tool_choice that demands a call is a constraint") {
  const std::string required = ConstraintOf(Chat(kTools + R"(,"tool_choice":"required")"));
  CHECK(required.find(R"("const":"f")") != std::string::npos);
  CHECK(required.find(R"("const":"g")") != std::string::npos);
  // References follow the schema to its new place.
  CHECK(required.find(R"("#/items/anyOf/0/properties/parameters/$defs/p")") != std::string::npos);
  CHECK(required.find("maxItems") == std::string::npos);
  const std::string named =
      ConstraintOf(Chat(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"g"}})"));
  CHECK(named.find(R"("const":"f")") == std::string::npos);
  CHECK(named.find(R"("maxItems":1)") != std::string::npos);
  CHECK(ConstraintOf(Chat(kTools + R"(,"tool_choice":"required","parallel_tool_calls":false)"))
            .find(R"("maxItems":1)") != std::string::npos);
}

TEST_CASE("tools of a wrong shape and choices that cannot be honoured are refused") {
  CHECK(Refused(Chat(R"("tools":{})")).param == "tools");
  const auto tool = [](const std::string& function) {
    return Chat(R"("tools":[{"type":"function","function":)" + function + "}]");
  };
  CHECK(Refused(Chat(R"("tools":[{"type":"function"}])")).param == "tools[0].function");
  CHECK(Refused(Chat(R"("tools":[7])")).param == "tools[0]");
  CHECK(Refused(tool(R"({"name":7})")).param == "tools[0].function.name");
  CHECK(Refused(tool(R"({"name":"f","strict":"yes"})")).message ==
        "tools[0].function.strict is \"yes\", must be a boolean");
  CHECK(Refused(tool(R"({"name":"f","parameters":[]})")).param == "tools[0].function.parameters");
  CHECK(Refused(tool(R"({"name":"f","description":7})")).param == "tools[0].function.description");
  Served(tool(R"({"name":"f","strict":null,"description":null,"parameters":null})"));
  CHECK(Refused(Chat(R"("tools":[{"type":"custom","custom":{"name":"x"}}])")).param ==
        "tools[0].type");
  CHECK(Refused(Chat(R"("tool_choice":"required")")).param == "tool_choice");
  CHECK(Refused(Chat(R"("tools":[],"tool_choice":"required")")).param == "tool_choice");
  CHECK(Refused(Chat(kTools + R"(,"tool_choice":{"type":"x","function":{"name":"f"}})")).param ==
        "tool_choice");
  CHECK(Refused(Chat(kTools + R"(,"tool_choice":"sometimes")")).param == "tool_choice");
  CHECK(Refused(Chat(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"h"}})"))
            .message == "tool_choice names \"h\", which is not among the tools");
  CHECK(Refused(Chat(kTools + R"(,"parallel_tool_calls":1)")).param == "parallel_tool_calls");
  CHECK(Refused(Chat(kTools + R"(,"tool_choice":"required","regex":"a")")).param == "regex");
  // Without tools there is nothing to choose, as in the dialect.
  Served(Chat(R"("tools":[],"tool_choice":"auto")"));
  Served(Chat(R"("tool_choice":"none")"));
}

TEST_CASE("where calls begin with a special token, the text shows it") {
  Seen seen;
  seen.form = ToolCallForm::kListed;
  CHECK_FALSE(Served(Chat(kTools), OpenAiOptions(&seen)).requests[0].sampling->skip_special_tokens);
  CHECK(Served(Chat(kTools + R"(,"skip_special_tokens":true)"), OpenAiOptions(&seen))
            .requests[0]
            .sampling->skip_special_tokens);
  CHECK(Served(Chat(""), OpenAiOptions(&seen)).requests[0].sampling->skip_special_tokens);
}

TEST_CASE("variables of the template come from the body's fields") {
  Seen seen;
  Served(Chat(R"("reasoning_effort":"none","chat_template_kwargs":{"thinking":7},)"
              R"("documents":[{"text":"d"}])"),
         OpenAiOptions(&seen));
  const Json variables(seen.chat.variables);
  CHECK(variables.Find("thinking")->as_int() == 7);
  CHECK_FALSE(variables.Find("enable_thinking")->as_bool());
  CHECK(variables.Find("reasoning_effort")->as_string() == "none");
  CHECK(seen.chat.documents.as_array().size() == 1);
  CHECK(
      Refused(Chat(R"("reasoning_effort":"much")")).message ==
      "reasoning_effort is \"much\", must be one of none, minimal, low, medium, high, xhigh, max");
  // A field of its own wins over what reasoning_effort implies.
  Served(Chat(R"("reasoning_effort":"high","enable_thinking":false)"), OpenAiOptions(&seen));
  CHECK_FALSE(Json(seen.chat.variables).Find("enable_thinking")->as_bool());
}

TEST_CASE("how the template is used stands beside the messages or among its variables") {
  Seen seen;
  const auto see = [&](const std::string& more) { Served(Chat(more), OpenAiOptions(&seen)); };
  see("");
  CHECK(seen.chat.add_generation_prompt);
  CHECK_FALSE(seen.chat.continue_final_message);
  CHECK_FALSE(seen.chat.chat_template.has_value());
  see(R"("add_generation_prompt":false)");
  CHECK_FALSE(seen.chat.add_generation_prompt);
  see(R"("chat_template_kwargs":{"add_generation_prompt":false,"x":1})");
  CHECK_FALSE(seen.chat.add_generation_prompt);
  CHECK(Json(seen.chat.variables).Dump() == R"({"x":1})");
  see(R"("continue_final_message":true)");
  CHECK(seen.chat.continue_final_message);
  CHECK_FALSE(seen.chat.add_generation_prompt);
  see(R"("chat_template":"t","enable_thinking":false)");
  CHECK(seen.chat.chat_template == "t");
  CHECK(Json(seen.chat.variables).Dump() == R"({"enable_thinking":false})");
  CHECK(Refused(Chat(R"("continue_final_message":true,"add_generation_prompt":true)")).param ==
        "continue_final_message");
  CHECK(Refused(Chat(R"("add_generation_prompt":true,)"
                     R"("chat_template_kwargs":{"add_generation_prompt":true})"))
            .param == "chat_template_kwargs.add_generation_prompt");
  CHECK(Refused(Chat(R"("chat_template_kwargs":{"add_generation_prompt":1})")).param ==
        "chat_template_kwargs.add_generation_prompt");
  CHECK(Refused(Chat(R"("chat_template_kwargs":{"chat_template":"x"})")).param ==
        "chat_template_kwargs.chat_template");
  CHECK(Refused(Chat(R"("enable_thinking":true,"chat_template_kwargs":{"enable_thinking":true})"))
            .param == "chat_template_kwargs.enable_thinking");
}

TEST_CASE("a message of a wrong shape is told with its place, what it is and what it must be") {
  const auto told = [](const std::string& messages) {
    const RecordError error = Refused(Line("/v1/chat/completions", "\"messages\":" + messages));
    CHECK(error.message.find(error.param) == 0);
    return error.message.substr(0, error.message.find(", must be"));
  };
  const auto second = [&](const std::string& message) {
    return told(R"([{"role":"user","content":"a"},)" + message + "]");
  };
  CHECK(told("[]") == "messages is []");
  CHECK(told("\"hi\"") == "messages is a string");
  CHECK(told(R"({"role":"user","content":"a"})") == "messages is an object");
  CHECK(second("7") == "messages[1] is 7");
  CHECK(second("null") == "messages[1] is null");
  CHECK(second("[]") == "messages[1] is []");
  CHECK(second(R"({"content":"b"})") == "messages[1].role is missing");
  CHECK(second(R"({"role":null,"content":"b"})") == "messages[1].role is missing");
  CHECK(second(R"({"role":5,"content":"b"})") == "messages[1].role is 5");
  CHECK(second(R"({"role":"","content":"b"})") == "messages[1].role is \"\"");
  CHECK(second(R"({"role":"user"})") == "messages[1].content is missing");
  CHECK(second(R"({"role":"assistant","content":null})") == "messages[1].content is null");
  CHECK(second(R"({"role":"assistant","content":null,"tool_calls":[]})") ==
        "messages[1].content is null");
  CHECK(second(R"({"role":"user","content":[]})") == "messages[1].content is []");
  CHECK(second(R"({"role":"user","content":7})") == "messages[1].content is 7");
  CHECK(second(R"({"role":"user","content":true})") == "messages[1].content is true");
  CHECK(second(R"({"role":"user","content":{"a":1}})") == "messages[1].content is {\"a\":1}");
  CHECK(second(R"({"role":"user","content":[null]})") == "messages[1].content[0] is null");
  CHECK(second(R"({"role":"user","content":[{"text":"a"}]})") ==
        R"(messages[1].content[0] is {"text":"a"})");
  CHECK(second(R"({"role":"user","content":[{"type":"text","text":7}]})") ==
        "messages[1].content[0].text is 7");
  CHECK(second(R"({"role":"user","content":"b","name":7})") == "messages[1].name is 7");
  CHECK(second(R"({"role":"tool","content":"b","tool_call_id":7})") ==
        "messages[1].tool_call_id is 7");
  CHECK(second(R"({"role":"user","content":"a\u0000"})") ==
        "messages[1].content holds a NUL character");
  CHECK(second(R"({"role":"assistant","content":"b","function_call":{"name":"f"}})")
            .starts_with("messages[1].function_call is the old form of tool_calls"));
  const auto calls = [&](const std::string& value) {
    return second(R"({"role":"assistant","content":null,"tool_calls":)" + value + "}");
  };
  const std::string at = "messages[1].tool_calls";
  CHECK(calls("{}") == at + " is {}");
  CHECK(calls("\"f\"") == at + " is \"f\"");
  CHECK(calls("[7]") == at + "[0] is 7");
  CHECK(calls("[{}]") == at + "[0].function is missing");
  CHECK(calls(R"([{"function":7}])") == at + "[0].function is 7");
  CHECK(calls(R"([{"function":{}}])") == at + "[0].function.name is missing");
  CHECK(calls(R"([{"function":{"name":7}}])") == at + "[0].function.name is 7");
  CHECK(calls(R"([{"type":"custom","function":{"name":"f"}}])") == at + "[0].type is \"custom\"");
  CHECK(calls(R"([{"id":7,"function":{"name":"f"}}])") == at + "[0].id is 7");
  CHECK(calls(R"([{"function":{"name":"f","arguments":[1]}}])") ==
        at + "[0].function.arguments is [1]");
  CHECK(calls(R"([{"function":{"name":"f","arguments":"[1]"}}])") ==
        at + "[0].function.arguments is \"[1]\"");
}

TEST_CASE("any role that is a word is the template's business") {
  Served(Line("/v1/chat/completions", R"("messages":[{"role":"développeur","content":"a"}])"));
}

TEST_CASE("the format is decided by the first object of a file") {
  RecordOptions options = OpenAiOptions();
  options.format = LineFormat::kAuto;
  CHECK(ParseOpenAi(Completion(""), options)->reply != nullptr);
  CHECK(ParseOpenAi(R"({"text":"a"})", options)->reply == nullptr);
  CHECK(ParseOpenAi(R"({"custom_id":"a","body":{)", options).error().reply != nullptr);
  CHECK(ParseOpenAi(R"({"text":)", options).error().reply == nullptr);
  RecordParser parser(options);
  InputRecord line;
  line.text = Completion("");
  CHECK(parser.Parse(line)->reply != nullptr);
  line.text = R"({"text":"a"})";
  CHECK(parser.Parse(line).error().error.param == "custom_id");
  line.file = "another";
  CHECK(parser.Parse(line)->reply == nullptr);
}

TEST_CASE("messages are tidied before a template sees them") {
  Seen seen;
  const auto message = [&](const std::string& text) {
    const RecordOptions options = OpenAiOptions(&seen);
    auto record =
        ParseOpenAi(Line("/v1/chat/completions", R"("messages":[)" + text + "]"), options);
    if (!record.ok()) return record.error().error.message;
    return seen.chat.messages.as_array().at(0).Dump();
  };
  CHECK(
      message(
          R"({"role":"assistant","content":null,"name":null,"tool_calls":[{"function":{"name":"f","arguments":"{\"a\": 1}"}}]})") ==
      R"({"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]})");
  CHECK(
      message(
          R"({"role":"user","content":["a",{"type":"text","text":"b"},{"type":"refusal","refusal":"c"}]})") ==
      R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]})");
  CHECK(
      message(
          R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]})") ==
      "messages[0].content[1] is a part of type \"image_url\": this release takes text only");
  CHECK(message(R"({"role":"user","content":[{"type":"text"}]})") ==
        "messages[0].content[0].text is missing, must be a string");
  CHECK(
      message(R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{"}}]})") ==
      "messages[0].tool_calls[0].function.arguments is \"{\", must be the JSON text of an object");
  CHECK(Refused(Chat(R"("chat_template_kwargs":{"tools":[]})")).param ==
        "chat_template_kwargs.tools");
  CHECK(message(R"({"role":"assistant","content":null,"refusal":"no"})") ==
        R"({"role":"assistant","content":"no","refusal":"no"})");
  // transformers finds reasoning under three names.
  CHECK(
      message(R"({"role":"assistant","reasoning":"so"})") ==
      R"({"role":"assistant","reasoning":"so","content":"","reasoning_content":"so","thinking":"so"})");
  CHECK(message(
            R"({"role":"assistant","content":null,"tool_calls":[{"name":"f","arguments":""}]})") ==
        R"({"role":"assistant","content":"","tool_calls":[{"name":"f","arguments":{}}]})");
}

TEST_CASE("faults of tools and documents are told under their own names") {
  for (const std::string name : {"tools", "documents"}) {
    RecordOptions options = OpenAiOptions();
    options.format = LineFormat::kGenerate;
    const auto refused = [&](const std::string& value) {
      auto record = ParseOpenAi(
          R"({"messages":[{"role":"user","content":"a"}],")" + name + "\":" + value + "}", options);
      REQUIRE_FALSE(record.ok());
      return record.error().error.param;
    };
    CHECK(refused("7") == name);
    CHECK(refused("[7]") == name + "[0]");
    CHECK(refused("[{},null]") == name + "[1]");
  }
  CHECK(Refused(Chat(R"("documents":["a"])")).param == "documents[0]");
}

TEST_CASE("variables of templates that stand beside the messages of a record are refused by name") {
  RecordOptions options = OpenAiOptions();
  options.format = LineFormat::kGenerate;
  const auto parse = [&](const std::string& more) {
    return ParseOpenAi(R"({"messages":[{"role":"user","content":"a"}],)" + more + "}", options);
  };
  CHECK(parse(R"("thinking":false)").error().error.message ==
        "thinking is a variable of chat templates: give it inside chat_template_kwargs");
  CHECK(parse(R"("reasoning_effort":"low")").error().error.param == "reasoning_effort");
  CHECK(parse(R"("enable_thinking":false,"continue_final_message":false)").ok());
  CHECK(
      ParseOpenAi(R"({"text":"a","continue_final_message":true})", options).error().error.message ==
      "continue_final_message is given without messages");
}

TEST_CASE("unreadable lines before the first object are answered in the dialect of that object") {
  const TempFolder folder;
  const auto first_row = [&](const std::string& content, LineFormat format) {
    const std::string file = folder.Write("input.jsonl", content);
    RecordOptions options = OpenAiOptions();
    options.format = format;
    RecordParser parser(options);
    InputRecord line;
    line.file = file;
    line.text = content.substr(0, content.find('\n'));
    return parser.Parse(line).error().reply != nullptr;
  };
  CHECK(first_row("{broken\n[1]\n" + Completion("") + "\n", LineFormat::kAuto));
  CHECK_FALSE(first_row("{broken\n{\"text\":\"a\"}\n" + Completion("") + "\n", LineFormat::kAuto));
  // Nothing to go by but words.
  CHECK(first_row("{\"custom_id\": broken\n", LineFormat::kAuto));
  CHECK_FALSE(first_row("{broken\n", LineFormat::kAuto));
  CHECK(first_row("{broken\n{\"text\":\"a\"}\n", LineFormat::kOpenAi));
}

}  // namespace
}  // namespace sglrun::io
