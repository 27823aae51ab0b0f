// Rows of the OpenAI dialect: shapes of openai/types/chat/chat_completion.py and completion.py.
#include "io/openai/reply_writer.h"
#include "io/openai/tool_calls.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace sglrun::io::openai {
namespace {

GenerateResult Answer(const std::string& text) {
  GenerateResult result;
  result.text = text;
  result.output_ids = {7, 8};
  result.prompt_tokens = 5;
  result.cached_tokens = 3;
  result.finish_reason = {.kind = FinishReason::Kind::kStop, .matched = 2};
  return result;
}

Json Row(const Reply& reply, const std::vector<GenerateResult>& results, bool no_timing = true) {
  std::string out;
  AppendReply(reply, {.line = 4, .created = 1700000000, .no_timing = no_timing}, results, out);
  INFO(out);
  REQUIRE(out.ends_with("}\n"));
  auto parsed = ParseJson(out);
  REQUIRE(parsed.ok());
  CHECK(parsed->duplicate_keys.empty());
  return parsed->value;
}

const Json& At(const Json& value, const std::string& path) {
  const Json* at = &value;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    if (at->is_array()) {
      at = &at->as_array().at(static_cast<std::size_t>(std::stoi(name)));
    } else {
      REQUIRE_MESSAGE(at->Find(name) != nullptr, path);
      at = at->Find(name);
    }
    begin = end + 1;
  }
  return *at;
}

TEST_CASE("a chat is answered with a chat.completion") {
  Reply reply{.custom_id = "a", .model = "m"};
  const Json row = Row(reply, {Answer("hi")}, false);
  CHECK(At(row, "custom_id").as_string() == "a");
  CHECK(At(row, "error").is_null());
  CHECK(At(row, "response.status_code").as_int() == 200);
  CHECK(At(row, "response.request_id").is_string());
  CHECK(At(row, "response.body.object").as_string() == "chat.completion");
  CHECK(At(row, "response.body.created").as_int() == 1700000000);
  CHECK(At(row, "response.body.model").as_string() == "m");
  CHECK(At(row, "response.body.choices.0.message").Dump() ==
        R"({"role":"assistant","content":"hi","refusal":null})");
  CHECK(At(row, "response.body.choices.0.finish_reason").as_string() == "stop");
  CHECK(At(row, "response.body.choices.0.logprobs").is_null());
  CHECK(At(row, "response.body.usage").Dump() ==
        R"({"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,)"
        R"("prompt_tokens_details":{"cached_tokens":3}})");
}

TEST_CASE("without timing nothing tells when and how the row was made") {
  const Json row = Row({.custom_id = "a"}, {Answer("hi")});
  CHECK(At(row, "response.body.created").as_int() == 0);
  CHECK(At(row, "response.body.usage").Find("prompt_tokens_details") == nullptr);
}

TEST_CASE("a completion is answered with a text_completion, its prompts counted once") {
  Reply reply{.custom_id = "a",
              .endpoint = Endpoint::kCompletions,
              .samples = 2,
              .echoed = {"one ", "two "}};
  GenerateResult cut = Answer("d");
  cut.finish_reason = {.kind = FinishReason::Kind::kLength, .length = 2};
  const Json row = Row(reply, {Answer("a"), Answer("b"), Answer("c"), cut});
  CHECK(At(row, "response.body.object").as_string() == "text_completion");
  CHECK(At(row, "response.body.choices.1.text").as_string() == "one b");
  CHECK(At(row, "response.body.choices.2.text").as_string() == "two c");
  CHECK(At(row, "response.body.choices.3.index").as_int() == 3);
  CHECK(At(row, "response.body.choices.3.finish_reason").as_string() == "length");
  CHECK(At(row, "response.body.usage").Dump() ==
        R"({"prompt_tokens":10,"completion_tokens":8,"total_tokens":18})");
}

TEST_CASE(
    "an error is in both places where clients look for it, with the field names of the line") {
  Reply reply{.custom_id = "a"};
  reply.origins = {{"sampling_params.max_new_tokens", "max_tokens"}, {"input_ids", "messages"}};
  std::string out;
  const RecordError error{"max_new_tokens is 9", "sampling_params.max_new_tokens"};
  AppendErrorReply(reply, {.line = 4}, {.error = error}, out);
  const Json row = ParseJson(out)->value;
  const std::string told =
      R"({"message":"max_tokens is 9","type":"invalid_request_error","code":400,)"
      R"("param":"max_tokens","line":4})";
  CHECK(At(row, "response.status_code").as_int() == 400);
  CHECK(At(row, "response.body.error").Dump() == told);
  CHECK(At(row, "error").Dump() == told);
  CHECK(InWordsOf(reply, RecordError{"input_ids is 1", "input_ids[3]"}).param == "messages[3]");
  CHECK(InWordsOf(reply, RecordError{"the input_ids"}).message == "the input_ids");
}

TokenLogprob Token(std::optional<float> logprob, const std::string& bytes) {
  return {.logprob = logprob, .token_id = 1, .text = bytes};
}

TEST_CASE("chat logprobs give the bytes of each token, half characters too") {
  Reply reply{.custom_id = "a", .logprobs = true};
  GenerateResult result = Answer("x");
  LogprobResult& logprobs = result.logprobs.emplace();
  logprobs.output_token_logprobs = {Token(-0.5F, "a"), Token(-1.0F, "\xe2\x82")};
  logprobs.output_top_logprobs.emplace();
  logprobs.output_top_logprobs->push_back(
      std::vector<TokenLogprob>{Token(-0.5F, "a"), Token(-2.0F, "b")});
  logprobs.output_top_logprobs->push_back(std::vector<TokenLogprob>{Token(-1.0F, "\xe2\x82")});
  const Json content = At(Row(reply, {result}), "response.body.choices.0.logprobs.content");
  CHECK(content.as_array()[0].Dump() ==
        R"({"token":"a","bytes":[97],"logprob":-0.5,"top_logprobs":[)"
        R"({"token":"a","bytes":[97],"logprob":-0.5},{"token":"b","bytes":[98],"logprob":-2}]})");
  CHECK(At(content, "1.bytes").Dump() == "[226,130]");
  CHECK(At(content, "1.token").as_string() == "\xef\xbf\xbd");
}

TEST_CASE("completion logprobs are lists; equal token texts occur once in top_logprobs") {
  Reply reply{
      .custom_id = "a", .endpoint = Endpoint::kCompletions, .logprobs = true, .echoed = {"é"}};
  GenerateResult result = Answer("c\xef\xbf\xbd");
  LogprobResult& logprobs = result.logprobs.emplace();
  logprobs.input_token_logprobs = {Token(std::nullopt, "é")};
  logprobs.input_top_logprobs.emplace().emplace_back();
  logprobs.output_token_logprobs = {Token(-3.0F, "c"), Token(-1.0F, "\x82")};
  logprobs.output_top_logprobs.emplace();
  logprobs.output_top_logprobs->push_back(
      std::vector<TokenLogprob>{Token(-0.5F, "a"), Token(-2.0F, "b")});
  logprobs.output_top_logprobs->push_back(
      std::vector<TokenLogprob>{Token(-1.0F, "\x82"), Token(-2.0F, "\x83")});
  CHECK(At(Row(reply, {result}), "response.body.choices.0.logprobs").Dump() ==
        R"({"text_offset":[0,1,2],"token_logprobs":[null,-3,-1],"tokens":["é","c","�"],)"
        R"("top_logprobs":[null,{"a":-0.5,"b":-2,"c":-3},{"�":-1}]})");
}

// Offsets of tokens in a text: those of the prompt come first.
std::string OffsetsIn(const std::string& echoed, const std::string& text,
                      const std::vector<std::string>& tokens) {
  Reply reply{.custom_id = "a", .endpoint = Endpoint::kCompletions, .logprobs = true};
  if (!echoed.empty()) reply.echoed = {echoed};
  GenerateResult result = Answer(text);
  LogprobResult& logprobs = result.logprobs.emplace();
  for (const std::string& token : tokens) {
    logprobs.output_token_logprobs.push_back(Token(-1.0F, token));
  }
  return At(Row(reply, {result}), "response.body.choices.0.logprobs.text_offset").Dump();
}

TEST_CASE("an offset is the place in the text where the token begins") {
  CHECK(OffsetsIn("", "ab cd", {"ab", " cd"}) == "[0,2]");
  // Tokens that share a character begin in it.
  CHECK(OffsetsIn("", "a€b", {"a", "\xe2\x82", "\xac", "b"}) == "[0,1,1,2]");
  CHECK(OffsetsIn("", "€b", {"\xe2", "\x82", "\xac\x62"}) == "[0,0,0]");
  CHECK(OffsetsIn("", "€€", {"\xe2\x82\xac\xe2", "\x82\xac"}) == "[0,1]");
  // Special tokens that the text leaves out take no room, others do.
  CHECK(OffsetsIn("hi", "a<b>c", {"<s>", "hi", "a", "<b>", "c", "</s>"}) == "[0,0,2,3,6,7]");
  // A space that the text drops at its start, a stop string that was cut off, a broken character.
  CHECK(OffsetsIn("", "ab c", {" ab", " c"}) == "[0,2]");
  CHECK(OffsetsIn("", "ab", {"a", "bSTOP", "more"}) == "[0,1,2]");
  CHECK(OffsetsIn("", "a\xef\xbf\xbd", {"a", "\xe2\x82"}) == "[0,1]");
  CHECK(OffsetsIn("", "", {"</s>"}) == "[0]");
}

TEST_CASE("a token that is not allowed has the logprob -9999") {
  Reply reply{.custom_id = "a", .endpoint = Endpoint::kCompletions, .logprobs = true};
  GenerateResult result = Answer("a");
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  result.logprobs.emplace().output_token_logprobs = {Token(-3.4e38F, "a")};
  result.logprobs->output_top_logprobs.emplace().push_back(
      std::vector<TokenLogprob>{Token(-9998.5F, "x"), Token(kNever, "y")});
  CHECK(At(Row(reply, {result}), "response.body.choices.0.logprobs.token_logprobs").Dump() ==
        "[-9999]");
  CHECK(At(Row(reply, {result}), "response.body.choices.0.logprobs.top_logprobs.0").Dump() ==
        R"({"x":-9998.5,"y":-9999,"a":-9999})");
  reply.endpoint = Endpoint::kChat;
  const Json top = At(Row(reply, {result}), "response.body.choices.0.logprobs.content.0");
  CHECK(At(top, "logprob").as_double() == -9999);
  CHECK(At(top, "top_logprobs.1.logprob").as_double() == -9999);
}

TEST_CASE("a failed answer has its text so far next to the error") {
  GenerateResult failed = Answer("half an answ");
  failed.error = AbortedRecord("NaN logits");
  std::string out;
  AppendErrorReply({.custom_id = "a"}, {.line = 4}, failed, out);
  const Json row = ParseJson(out)->value;
  CHECK(At(row, "response.body.partial_text").as_string() == "half an answ");
  CHECK(At(row, "response.body.error.message").as_string() == "NaN logits");
}

TEST_CASE("rows in completion order contain their line") {
  std::string out;
  AppendReply({.custom_id = "a"}, {.line = 4, .with_line = true}, std::vector{Answer("hi")}, out);
  CHECK(ParseJson(out)->value.Find("line")->as_int() == 4);
  out.clear();
  AppendErrorReply({.custom_id = "a"}, {.line = 5, .with_line = true}, {.error = RecordError{"x"}},
                   out);
  CHECK(ParseJson(out)->value.Find("line")->as_int() == 5);
  CHECK(Row({.custom_id = "a"}, {Answer("hi")}).Find("line") == nullptr);
}

Reply Calling(CallSyntax syntax, ToolCallForm form = ToolCallForm::kNone) {
  return {.custom_id = "a", .calls = syntax, .form = form, .tools = {"f", "g"}};
}

// "content|name(arguments)|..", "text" when it holds no calls.
std::string CallsIn(const Reply& reply, const std::string& text) {
  const auto found = FindToolCalls(reply, text);
  if (!found) return "text";
  std::string out = found->content;
  for (const ToolCall& call : found->calls) out += "|" + call.name + "(" + call.arguments + ")";
  return out;
}

TEST_CASE("calls of the Hermes form are found between their tags") {
  const Reply reply = Calling(CallSyntax::kTemplate, ToolCallForm::kTagged);
  CHECK(CallsIn(reply,
                "Let me see.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1.50}}\n"
                "</tool_call>\n<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>") ==
        "Let me see.|f({\"x\":1.50})|g({})");
  CHECK(CallsIn(reply, "no call") == "text");
  CHECK(CallsIn(reply, "<tool_call>{\"name\":\"f\",\"arguments\":{}}") == "text");
  CHECK(CallsIn(reply, "<tool_call>{\"name\":\"h\",\"arguments\":{}}</tool_call>") == "text");
  CHECK(CallsIn(reply, "<tool_call>{\"name\":\"f\",\"arguments\":\"x\"}</tool_call>") == "text");
  CHECK(CallsIn(reply, "<tool_call>\n<function=f>\n</function></tool_call>") == "text");
}

TEST_CASE("calls of the Llama form are the whole text") {
  const Reply reply = Calling(CallSyntax::kTemplate, ToolCallForm::kBare);
  CHECK(CallsIn(reply, R"({"name": "f", "parameters": {"x": "a;b"}})") == R"(|f({"x":"a;b"}))");
  CHECK(CallsIn(reply,
                R"(<|python_tag|>{"name":"f","parameters":{}}; {"name":"g","parameters":{}})") ==
        "|f({})|g({})");
  CHECK(CallsIn(reply, R"(Sure: {"name": "f", "parameters": {}})") == "text");
  CHECK(CallsIn(reply, R"({"name": "f", "parameters": {}} done)") == "text");
  CHECK(CallsIn(reply, "") == "text");
}

TEST_CASE("calls of the Mistral form are a list behind a mark") {
  const Reply reply = Calling(CallSyntax::kTemplate, ToolCallForm::kListed);
  CHECK(CallsIn(reply, R"([TOOL_CALLS][{"name": "f", "arguments": {"x": []}}])") ==
        R"(|f({"x":[]}))");
  CHECK(CallsIn(reply, R"([TOOL_CALLS][])") == "text");
  CHECK(CallsIn(reply, R"([TOOL_CALLS]f[ARGS]{})") == "text");
}

TEST_CASE("calls that a constraint demanded are an array, cut ones stay text") {
  const Reply reply = Calling(CallSyntax::kForced);
  CHECK(CallsIn(reply, R"([{"name":"f","parameters":{"x":1}},{"name":"g","parameters":{}}])") ==
        R"(|f({"x":1})|g({}))");
  CHECK(CallsIn(reply, R"([{"name":"f","parameters":{"x")") == "text");
}

TEST_CASE("an answer of calls has no content, and ends with tool_calls unless one was named") {
  Reply reply = Calling(CallSyntax::kForced);
  const std::string text = R"([{"name":"f","parameters":{"x":1}}])";
  Json choice = At(Row(reply, {Answer(text)}), "response.body.choices.0");
  CHECK(At(choice, "finish_reason").as_string() == "tool_calls");
  CHECK(At(choice, "message.content").is_null());
  CHECK(At(choice, "message.tool_calls.0.type").as_string() == "function");
  CHECK(At(choice, "message.tool_calls.0.id").as_string().starts_with("call_"));
  CHECK(At(choice, "message.tool_calls.0.function").Dump() ==
        R"({"name":"f","arguments":"{\"x\":1}"})");
  reply.one_named_tool = true;
  choice = At(Row(reply, {Answer(text)}), "response.body.choices.0");
  CHECK(At(choice, "finish_reason").as_string() == "stop");
}

}  // namespace
}  // namespace sglrun::io::openai
