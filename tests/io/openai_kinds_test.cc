// Which values the fields of an OpenAI body take, and what constraints and tools become.
#include "io/openai/body_fields.h"
#include "openai_lines.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sglrun::io {
namespace {

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
    {"lora_path", "", ""},  // no adapter is called x
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
        "guided_json and guided_regex are both given; an answer can have only one constraint");
}

const std::string kTools =
    R"("tools":[{"type":"function","function":{"name":"f","parameters":{"$ref":"#/$defs/p","$defs":{"p":{"type":"object"}}}}},{"type":"function","function":{"name":"g"}}])";

TEST_CASE("tools are passed to the template, and tool_choice none hides them") {
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

}  // namespace
}  // namespace sglrun::io
