// What a line may hold at all: JSON and text that can be read, numbers that fit, and no more than
// the memory of a run.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "record_lines.h"

namespace sglrun::io {
namespace {

TEST_CASE("malformed JSON says the byte, and still has an id and a key") {
  const auto result = Parse(R"({"text":"a",})");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().error.message.rfind("malformed JSON at byte 13: ", 0) == 0);
  CHECK(result.error().rid.size() == 32);
  CHECK(result.error().resume_key != Hash128());
  for (const char* text : {"", "{", "[", "nul", "{\"text\":\"a\"} x", "{'text':'a'}", "{\"a\":NaN}",
                           "{\"text\":\"a\" \"b\"}", "\"unclosed", "{\"text\":01}"}) {
    Bad(text);
  }
  CHECK(Bad("[1]").message == "a record must be a JSON object, found an array");
  CHECK(Bad("7").message == "a record must be a JSON object, found an integer");
}

TEST_CASE("nesting of a hundred thousand levels is refused") {
  const std::string deep(100000, '[');
  CHECK(Bad("{\"x\":" + deep).message.find("nested deeper") != std::string::npos);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  Bad(objects);
}

TEST_CASE("an escaped NUL is a character like others, in texts, messages and stop strings") {
  const std::string nul("a\0b", 3);
  CHECK(Good(R"({"text":"a\u0000b"})").requests[0].text == nul);
  CHECK(Good(R"({"text":["a\u0000b"]})").requests[0].text == nul);
  CHECK(Params(R"({"stop":"a\u0000b","stop_regex":"a\u0000b"})").stop.at(0) == nul);
}

TEST_CASE("raw NUL bytes, invalid UTF-8 and lone surrogates are refused") {
  Bad(std::string("{\"text\":\"a\0b\"}", 14));
  Bad("{\"text\":\"\xff\"}");
  Bad("{\"text\":\"\xed\xa0\x80\"}");
  CHECK(Bad(R"({"text":"\ud800"})").message.find("surrogate") != std::string::npos);
  CHECK(Good(R"({"text":"\ud83d\ude00"})").requests[0].text == "\xf0\x9f\x98\x80");
}

TEST_CASE("the last value of a repeated key is used with a warning, with strict it is an error") {
  const Record record = Good(R"({"text":"a","text":"b"})");
  CHECK(record.requests[0].text == "b");
  CHECK(record.warnings.size() == 1);
  RecordOptions strict = Options();
  strict.strict = true;
  CHECK(Bad(R"({"text":"a","text":"b"})", strict).param == "text");
  Bad(R"({"text":"a","sampling_params":{"n":1,"n":1}})", strict);
}

TEST_CASE("numbers outside their types are refused") {
  Bad(R"({"input_ids":[99999999999999999999]})");
  Bad(R"({"text":"a","sampling_params":{"temperature":1e999}})");
  CHECK(BadParams(R"({"max_new_tokens":1e30})").param == "sampling_params.max_new_tokens");
}

TEST_CASE("numbers are quoted as they were written, however large") {
  const auto says = [](const char* params, const char* sentence) {
    CHECK(BadParams(params).message == std::string("sampling_params.") + sentence);
  };
  says(R"({"n":9007199254740993})", "n is 9007199254740993, must be in [1, 4096]");
  says(R"({"n":123456789012345678901234567890})",
       "n is 123456789012345678901234567890, must be an integer of 64 bits without fraction or "
       "exponent");
  says(R"({"max_new_tokens":-9007199254740993})",
       "max_new_tokens is -9007199254740993, must be at least 0");
  says(R"({"min_new_tokens":9007199254740993,"max_new_tokens":4})",
       "min_new_tokens is 9007199254740993, must be in [0, max_new_tokens(4)]");
  says(R"({"temperature":-9007199254740993})",
       "temperature is -9007199254740993, must be at least 0");
  says(R"({"temperature":1e400})", "temperature is 1e400, must be a number of 64 bits, at least 0");
  says(R"({"top_p":1e400})", "top_p is 1e400, must be in (0, 1]");
  says(R"({"top_p":1.50E300})", "top_p is 1.50E300, must be in (0, 1]");
  says(R"({"min_p":9007199254740993})", "min_p is 9007199254740993, must be in [0, 1]");
  says(R"({"top_k":-1e30})", "top_k is -1e30, must be -1 or at least 1");
  says(R"({"logit_bias":{"3":-1e400}})", "logit_bias.3 is -1e400, must be a number of 64 bits");
  CHECK(Bad(R"({"input_ids":[1,99999999999999999999]})")
            .message.find("input_ids[1] is 99999999999999999999, must be a token id") == 0);
  CHECK(Bad(R"({"text":"a","token_ids_logprob":[9007199254740993]})")
            .message.find("token_ids_logprob[0] is 9007199254740993, must be") == 0);
  CHECK(Bad(R"({"text":"a","top_logprobs_num":-9007199254740993})").message ==
        "top_logprobs_num is -9007199254740993, must be at least 0");
  CHECK(Bad(R"({"input_embeds":[[1e400]]})").message.find("is 1e400, must be") !=
        std::string::npos);
  const Record record =
      Good(R"({"text":"a","sampling_params":{"stop_token_ids":[2,123456789012345678901]}})");
  CHECK(record.requests[0].sampling->stop_token_ids == std::vector<std::int64_t>{2});
  REQUIRE(record.warnings.size() == 1);
  CHECK(record.warnings[0].find("holds 123456789012345678901,") != std::string::npos);
}

TEST_CASE("a schema given as an object keeps its large integers") {
  const auto params = Params(R"({"json_schema":{"maximum":123456789012345678901}})");
  CHECK(params.constraint->text == R"({"maximum":123456789012345678901})");
}

TEST_CASE("one line cannot request unlimited memory") {
  BadParams(R"({"n":1000000000})");
  const std::string big(40 << 20, 'x');
  CHECK(Bad("{\"text\":\"" + big + "\",\"sampling_params\":{\"n\":100}}").param ==
        "sampling_params.n");
}

TEST_CASE("a line of 64 MB is read") {
  const std::string big(64 << 20, 'x');
  CHECK(Good("{\"text\":\"" + big + "\"}").requests[0].text.size() == big.size());
}

TEST_CASE("a line that is too long is an error of its record") {
  RecordParser parser(Options());
  InputRecord line;
  line.too_long = true;
  const auto result = parser.Parse(line);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().error.message == "the line is longer than 256 MiB");
}

TEST_CASE("absurdly long names are cut in sentences") {
  const std::string name(1 << 20, 'k');
  CHECK(BadParams("{\"" + name + "\":1}").message.size() < 300);
  CHECK(Good("{\"text\":\"a\",\"" + name + "\":1}").warnings[0].size() < 300);
}

TEST_CASE("a line of text input is a prompt as it stands") {
  RecordOptions options = Options();
  options.format = LineFormat::kText;
  CHECK(Good(R"(say "hi" \n)", options).requests[0].text == R"(say "hi" \n)");
  CHECK(Bad("a\xff", options).message == "invalid UTF-8 at byte 2");
}

TEST_CASE("the parts of a request that each sample copies are limited to one gigabyte in all") {
  const std::string long_text(300'000, 'x');
  std::string ids = "1";
  for (int i = 1; i < 40'000; ++i) ids += ",1";
  for (const auto& [record, params] :
       {std::pair{"\"rid\":\"" + long_text + "\"", std::string()},
        std::pair{"\"token_ids_logprob\":[" + ids + "]", std::string()},
        std::pair{std::string("\"stream\":true"), ",\"stop\":\"" + long_text + "\""}}) {
    const auto line = [&, record = record, params = params](int n) {
      return "{\"text\":\"a\"," + record + ",\"sampling_params\":{\"n\":" + std::to_string(n) +
             params + "}}";
    };
    INFO(line(4096).substr(0, 60));
    CHECK(Good(line(2)).requests.size() == 2);
    CHECK(Bad(line(4096)).param == "sampling_params.n");
  }
}

}  // namespace
}  // namespace sglrun::io
