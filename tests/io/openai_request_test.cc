// Lines of the OpenAI dialect as requests: fields of the openai package 3.57.0 and those that vLLM
// and SGLang added to them.
#include "io/openai/body_fields.h"
#include "openai_lines.h"
#include "temp_folder.h"

#include <string>
#include <vector>

namespace sglrun::io {
namespace {

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

TEST_CASE("unsupported fields are refused unless their value means none") {
  CHECK(Refused(Chat(R"("functions":[{"name":"f"}])")).message ==
        "functions is not supported yet (the deprecated form of tools; use tools)");
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
