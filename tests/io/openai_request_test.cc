// Lines of the OpenAI dialect as requests: fields of the openai package 3.57.0 and those that vLLM
// and SGLang added to them.
#include "io/openai/body_fields.h"
#include "io/record.h"

#include <doctest/doctest.h>

#include <span>
#include <string>
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
  CHECK(Refused(Chat(R"("continue_final_message":true)")).param == "continue_final_message");
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
  CHECK(Refused(Chat(R"("tools":[{"type":"function"}])")).param == "tools[0]");
  CHECK(Refused(Chat(R"("tools":[{"type":"custom","custom":{"name":"x"}}])")).param ==
        "tools[0].type");
  CHECK(Refused(Chat(R"("tool_choice":"required")")).param == "tool_choice");
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
  Served(Chat(R"("reasoning_effort":"none","chat_template_kwargs":{"thinking":7},"documents":[1])"),
         OpenAiOptions(&seen));
  const Json variables(seen.chat.variables);
  CHECK(variables.Find("thinking")->as_int() == 7);
  CHECK_FALSE(variables.Find("enable_thinking")->as_bool());
  CHECK(variables.Find("reasoning_effort")->as_string() == "none");
  CHECK(seen.chat.documents.as_array().size() == 1);
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
      message(R"({"role":"assistant","tool_calls":[{"function":{"arguments":"{"}}]})") ==
      "messages[0].tool_calls[0].function.arguments is \"{\", must be the JSON text of an object");
  CHECK(Refused(Chat(R"("chat_template_kwargs":{"tools":[]})")).param ==
        "chat_template_kwargs.tools");
}

}  // namespace
}  // namespace sglrun::io
