// Conversations in records and in lines of the OpenAI dialect.
#include "openai_lines.h"

#include <string>

namespace sglrun::io {
namespace {

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

TEST_CASE("a template sees null parameters of a function that was given none") {
  Seen seen;
  Served(Chat(R"("tools":[{"type":"function","function":{"name":"f"}},)"
              R"({"type":"function","function":{"name":"g","parameters":{"type":"object"}}}])"),
         OpenAiOptions(&seen));
  CHECK(seen.chat.tools.Dump() ==
        R"([{"type":"function","function":{"name":"f","parameters":null}},)"
        R"({"type":"function","function":{"name":"g","parameters":{"type":"object"}}}])");
}

TEST_CASE(
    "add_generation_prompt and continue_final_message are accepted in the record and in "
    "chat_template_kwargs") {
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

TEST_CASE("any role name is passed to the template") {
  Served(Line("/v1/chat/completions", R"("messages":[{"role":"développeur","content":"a"}])"));
}

TEST_CASE("messages are normalised before a template sees them") {
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

TEST_CASE("errors in tools and documents name the field") {
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

}  // namespace
}  // namespace sglrun::io
