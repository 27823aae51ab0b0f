// What a line asks for: its shapes, rules and refusals (docs/requests.md).
#include "io/dialect/record.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "record_lines.h"

namespace sglrun::io {
namespace {

std::vector<std::string> Rids(const Record& record) {
  std::vector<std::string> rids;
  for (const GenerateRequest& request : record.requests) rids.push_back(request.rid);
  return rids;
}

TEST_CASE("a single text gives one request, a list of one gives an array of one") {
  CHECK_FALSE(Good(R"({"text":"a"})").is_array);
  const Record list = Good(R"({"text":["a"]})");
  CHECK(list.is_array);
  REQUIRE(list.requests.size() == 1);
  CHECK(list.requests[0].text == "a");
}

TEST_CASE("one of text, input_ids and input_embeds must be given, not all three") {
  CHECK(Bad("{}").message == "one of text, input_ids, input_embeds or messages must be given");
  Bad(R"({"text":"a","input_ids":[1],"input_embeds":[[0.1]]})");
  Bad(R"({"text":null})");
}

TEST_CASE("ids win over text, with a warning") {
  const Record record = Good(R"({"text":"a","input_ids":[5,6]})");
  CHECK(record.requests[0].input_ids == std::vector<std::int32_t>{5, 6});
  CHECK(record.warnings.size() == 1);
  Bad(R"({"text":["a","b"],"input_ids":[5,6]})");
  Bad(R"({"text":["a","b"],"input_ids":[[5],[6],[7]]})");
}

TEST_CASE("input_ids may be one list or a list of lists, never empty") {
  CHECK(Bad(R"({"input_ids":[]})").param == "input_ids");
  const Record batch = Good(R"({"input_ids":[[1],[2,3]]})");
  REQUIRE(batch.requests.size() == 2);
  CHECK(batch.requests[1].input_ids == std::vector<std::int32_t>{2, 3});
  CHECK(Bad(R"({"input_ids":[[1],[]]})").param == "input_ids[1]");
  CHECK(Bad(R"({"input_ids":[[]]})").param == "input_ids[0]");
  Bad(R"({"input_ids":[[1],2]})");
  Bad(R"({"input_ids":[1,[2]]})");
  CHECK(Bad(R"({"input_ids":[1,"2"]})").param == "input_ids[1]");
}

TEST_CASE("an id outside the vocabulary is named") {
  const RecordError error = Bad(R"({"input_ids":[1,999999999]})");
  CHECK(error.message == "input_ids[1] is 999999999, must be a token id in [0, 999]");
  CHECK(error.param == "input_ids[1]");
  Bad(R"({"input_ids":[-1]})");
  CHECK(Good(R"({"input_ids":[999]})").requests.size() == 1);
}

TEST_CASE("a rid is numbered over the results, a list of rids must fit and be distinct") {
  CHECK(Rids(Good(R"({"text":"a","rid":"R"})")) == std::vector<std::string>{"R"});
  CHECK(Rids(Good(R"({"text":["a","b"],"rid":"R"})")) == std::vector<std::string>{"R_0", "R_1"});
  CHECK(Rids(Good(R"({"text":["a","b"],"rid":["x","y"]})")) == std::vector<std::string>{"x", "y"});
  CHECK(Rids(Good(R"({"text":["a","b"],"rid":"R","sampling_params":{"n":2}})")) ==
        std::vector<std::string>{"R_0", "R_1", "R_2", "R_3"});
  CHECK(Rids(Good(R"({"text":["a","b"],"rid":["x","y"],"sampling_params":{"n":2}})")) ==
        std::vector<std::string>{"x_0", "x_1", "y_0", "y_1"});
  Bad(R"({"text":["a","b"],"rid":["x"]})");
  Bad(R"({"text":["a","b"],"rid":["x","x"]})");
  Bad(R"({"text":"a","rid":["x"]})");
  Bad(R"({"text":"a","rid":7})");
}

TEST_CASE("without a rid the id is 32 stable hex digits, distinct for each result") {
  const Record first = Good(R"({"text":"a","sampling_params":{"n":3}})");
  const Record again = Good(R"({"text":"a","sampling_params":{"n":3}})");
  CHECK(Rids(first) == Rids(again));
  const auto rids = Rids(first);
  CHECK(std::set<std::string>(rids.begin(), rids.end()).size() == 3);
  CHECK(rids[0].size() == 32);
  CHECK(rids[0].find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("n samples follow each other prompt by prompt") {
  const Record record = Good(R"({"text":["a","b"],"sampling_params":{"n":2}})");
  REQUIRE(record.requests.size() == 4);
  CHECK(record.is_array);
  CHECK(record.requests[0].text == "a");
  CHECK(record.requests[1].text == "a");
  CHECK(record.requests[2].text == "b");
  CHECK(record.requests[3].text == "b");
  CHECK(record.requests[1].sample_index == 1);
  CHECK(record.requests[2].sample_index == 0);
  CHECK(record.requests[0].seed == record.requests[1].seed);
  CHECK(record.requests[0].seed != record.requests[2].seed);
}

TEST_CASE("per-prompt lists cannot be used with n > 1") {
  Bad(R"({"text":["a"],"return_logprob":[true],"sampling_params":{"n":2}})");
  Bad(R"({"text":["a"],"token_ids_logprob":[[1]],"sampling_params":{"n":2}})");
  const Record record = Good(R"({"text":"a","return_logprob":true,"sampling_params":{"n":2}})");
  CHECK(record.requests[1].return_logprob);
  CHECK(Good(R"({"text":["a"],"token_ids_logprob":[1],"sampling_params":{"n":2}})")
            .requests[1]
            .token_ids_logprob == std::vector<std::int64_t>{1});
}

TEST_CASE("n must be the same for all prompts and at least 1") {
  const RecordError error = Bad(R"({"text":["a","b"],"sampling_params":[{"n":1},{"n":2}]})");
  CHECK(error.param == "sampling_params[1].n");
  CHECK(BadParams(R"({"n":0})").message == "sampling_params.n is 0, must be in [1, 4096]");
  BadParams(R"({"n":-3})");
}

TEST_CASE("fields given as lists belong to their prompts") {
  const Record record =
      Good(R"({"text":["a","b"],"top_logprobs_num":[1,3],"return_logprob":[true,false],
               "token_ids_logprob":[[7,7,2],[]],"return_hidden_states":[true,"last"]})");
  CHECK(record.requests[0].top_logprobs_num == 1);
  CHECK(record.requests[1].top_logprobs_num == 3);
  CHECK(record.requests[0].return_logprob);
  CHECK_FALSE(record.requests[1].return_logprob);
  CHECK(record.requests[0].token_ids_logprob == std::vector<std::int64_t>{7, 7, 2});
  CHECK_FALSE(record.requests[1].token_ids_logprob.has_value());
  CHECK(record.requests[0].return_hidden_states == HiddenStates::kAll);
  CHECK(record.requests[1].return_hidden_states == HiddenStates::kLast);
}

TEST_CASE("every list length is checked against the batch") {
  CHECK(Bad(R"({"text":["a","b"],"top_logprobs_num":[1]})").message ==
        "top_logprobs_num has 1 value for 2 prompts");
  Bad(R"({"text":["a","b"],"sampling_params":[{}]})");
  Bad(R"({"text":["a","b"],"sampling_params":[{},{},{}]})");
  Bad(R"({"text":["a"],"return_hidden_states":[true,true]})");
  Bad(R"({"text":"a","sampling_params":[{}]})");
  Bad(R"({"text":"a","return_logprob":[true]})");
  Bad(R"({"text":["a","b"],"return_logprob":[true,null]})");
}

TEST_CASE("an empty batch gives an empty array, an empty prompt is an error") {
  const Record record = Good(R"({"text":[]})");
  CHECK(record.is_array);
  CHECK(record.requests.empty());
  CHECK(Bad(R"({"text":""})").param == "text");
  CHECK(Bad(R"({"text":["a",""]})").param == "text[1]");
}

TEST_CASE("an unknown field is ignored with a warning that names the nearest") {
  const Record record = Good(R"({"text":"a","return_logprobs":true})");
  REQUIRE(record.warnings.size() == 1);
  CHECK(record.warnings[0] ==
        "unknown field \"return_logprobs\" is ignored (did you mean \"return_logprob\"?)");
  RecordOptions strict = Options();
  strict.strict = true;
  CHECK(Bad(R"({"text":"a","no_such_field":1})", strict).param == "no_such_field");
  CHECK(Good(R"({"text":"a","temperature":1})").warnings[0] ==
        "unknown field \"temperature\" is ignored (it belongs inside sampling_params)");
}

TEST_CASE("an unknown sampling parameter is an error that names the nearest") {
  CHECK(BadParams(R"({"no_such":1})").param == "sampling_params.no_such");
  CHECK(BadParams(R"({"top_b":1})").message ==
        "unknown parameter sampling_params.top_b (did you mean \"top_p\"?)");
}

TEST_CASE("null and absence are the same default") {
  for (const char* params : {"null", "{}", R"({"temperature":null,"n":null,"ignore_eos":null})"}) {
    const SamplingParams got = Params(params);
    CHECK(got.max_new_tokens == 128);
    CHECK_FALSE(got.max_new_tokens_stated);
    CHECK(got.temperature == 1.0);
    CHECK(got.top_k == kTopKAll);
    CHECK(got.n == 1);
  }
  CHECK_FALSE(Params(R"({"max_new_tokens":null})").max_new_tokens.has_value());
  CHECK(Good(R"({"text":"a","stream":null,"return_hidden_states":null,"rid":null})")
            .warnings.empty());
}

TEST_CASE("a temperature below a millionth is greedy whatever top_k says") {
  CHECK(Params(R"({"temperature":0,"top_k":0})").greedy());
  CHECK(Params(R"({"temperature":1e-7})").top_k == 1);
  CHECK(Params(R"({"temperature":1e-7})").temperature == 1.0);
  CHECK_FALSE(Params(R"({"temperature":0.000001})").greedy());
  CHECK(Params(R"({"top_k":1,"temperature":0.9})").greedy());
}

TEST_CASE("top_k -1 and everything beyond the vocabulary mean all") {
  CHECK(Params(R"({"top_k":-1})").top_k == kTopKAll);
  CHECK(Params(R"({"top_k":2147483648})").top_k == kTopKAll);
  CHECK(Params(R"({"top_k":1e19})").top_k == kTopKAll);
}

TEST_CASE("a parameter out of range is named with its value and its range") {
  CHECK(BadParams(R"({"top_p":2})").message == "sampling_params.top_p is 2, must be in (0, 1]");
  CHECK(BadParams(R"({"temperature":-1})").message ==
        "sampling_params.temperature is -1, must be at least 0");
  CHECK(BadParams(R"({"top_k":0})").message ==
        "sampling_params.top_k is 0, must be -1 or at least 1");
  for (const char* params :
       {R"({"top_p":0})", R"({"top_p":1.01})", R"({"top_k":-2})", R"({"min_p":1.1})",
        R"({"frequency_penalty":2.1})", R"({"presence_penalty":-2.1})",
        R"({"repetition_penalty":0})", R"({"repetition_penalty":2.5})", R"({"max_new_tokens":-1})",
        R"({"min_new_tokens":-1})", R"({"sampling_seed":9223372036854775808})",
        R"({"sampling_seed":-9223372036854775809})", R"({"stream_interval":0})",
        R"({"beam_width":2})"}) {
    INFO(params);
    const std::string name = std::string(params).substr(2, std::string(params).find(':') - 3);
    CHECK(BadParams(params).param == "sampling_params." + name);
  }
  CHECK(BadParams(R"({"min_new_tokens":5,"max_new_tokens":4})").message ==
        "sampling_params.min_new_tokens is 5, must be in [0, max_new_tokens(4)]");
  CHECK(Params(R"({"min_new_tokens":500,"max_new_tokens":null})").min_new_tokens == 500);
  CHECK(Params(R"({"beam_width":1})").n == 1);
}

TEST_CASE("kinds are strict, but an integral number is an integer") {
  CHECK(Params(R"({"max_new_tokens":16.0})").max_new_tokens == 16);
  CHECK(Params(R"({"temperature":2})").temperature == 2.0);
  CHECK(BadParams(R"({"temperature":"1"})").message ==
        "sampling_params.temperature is \"1\", must be a number");
  for (const char* params :
       {R"({"temperature":true})", R"({"max_new_tokens":1.5})", R"({"max_new_tokens":"1"})",
        R"({"ignore_eos":1})", R"({"stop":7})", R"({"stop":["a",null]})",
        R"({"stop_token_ids":[1,null]})", R"({"stop_token_ids":7})", R"({"n":true})",
        R"({"logit_bias":[1]})", R"({"spaces_between_special_tokens":1})", "7", "[]"}) {
    BadParams(params);
  }
  Bad(R"({"text":7})");
  Bad(R"({"text":["a",7]})");
  Bad(R"({"text":"a","return_logprob":1})");
  Bad(R"({"text":"a","stream":"yes"})");
  Bad(R"({"text":"a","return_hidden_states":"first"})");
  Bad(R"({"text":"a","top_logprobs_num":-1})");
}

TEST_CASE("stop strings and patterns have limits and may not be empty") {
  CHECK(Params(R"({"stop":"x"})").stop == std::vector<std::string>{"x"});
  CHECK(Params(R"({"stop":["x","y"]})").stop.size() == 2);
  BadParams(R"({"stop":[""]})");
  BadParams(R"({"stop":""})");
  BadParams(R"({"stop_regex":""})");
  std::string many = "\"x\"";
  for (int i = 1; i < 32; ++i) many += ",\"x\"";
  CHECK(Params("{\"stop\":[" + many + "]}").stop.size() == 32);
  CHECK(BadParams("{\"stop\":[" + many + ",\"x\"]}").message ==
        "sampling_params.stop is an array of 33, must be at most 32 strings");
  BadParams("{\"stop_regex\":[" + many + ",\"x\"]}");
  CHECK(Params("{\"stop_regex\":\"" + std::string(256, 'a') + "\"}").stop_regex.size() == 1);
  BadParams("{\"stop_regex\":\"" + std::string(257, 'a') + "\"}");
}

TEST_CASE("a stop pattern that does not compile is an error that says where") {
  const RecordError error = BadParams(R"({"stop_regex":["a+","(b"]})");
  CHECK(error.param == "sampling_params.stop_regex");
  CHECK(error.message.find("\"(b\"") != std::string::npos);
  CHECK(Params(R"({"stop_regex":"\\d{3}$"})").stop_regex[0] == "\\d{3}$");
}

TEST_CASE("stop_token_ids outside the vocabulary have no effect, with a warning") {
  const Record record =
      Good(R"({"text":"a","sampling_params":{"stop_token_ids":[7,2,7,5000,-3]}})");
  CHECK(record.requests[0].sampling->stop_token_ids == std::vector<std::int64_t>{2, 7});
  CHECK(record.warnings.size() == 1);
}

TEST_CASE("logit_bias takes decimal ids of the vocabulary only") {
  const auto bias = Params(R"({"logit_bias":{"3":100,"999":-1.5}})").logit_bias;
  REQUIRE(bias.size() == 2);
  CHECK(bias[1].first == 999);
  CHECK(bias[1].second == -1.5f);
  for (const char* key : {"1000", "-1", "05", " 5", "+5", "1_0", "x", ""}) {
    BadParams("{\"logit_bias\":{\"" + std::string(key) + "\":1}}");
  }
  BadParams(R"({"logit_bias":{"3":null}})");
  BadParams(R"({"logit_bias":{"3":1e300}})");
}

TEST_CASE("logprob fields: defaults, ranges, and no look at them without return_logprob") {
  const Record record = Good(R"({"text":"a","return_logprob":true,"logprob_start_len":3})");
  CHECK(record.requests[0].logprob_start_len == 3);
  CHECK(Good(R"({"text":"a","return_logprob":true})").requests[0].logprob_start_len == -1);
  CHECK(Bad(R"({"text":"a","return_logprob":true,"logprob_start_len":-2})").message ==
        "logprob_start_len is -2, must be at least -1");
  CHECK(Good(R"({"text":"a","logprob_start_len":9999})").requests.size() == 1);
  CHECK(Good(R"({"text":"a","top_logprobs_num":5000})").requests[0].top_logprobs_num == kVocab);
  CHECK(Good(R"({"text":["a","b"],"token_ids_logprob":5})").requests[1].token_ids_logprob ==
        std::vector<std::int64_t>{5});
  CHECK(Bad(R"({"text":"a","token_ids_logprob":[1000]})").param == "token_ids_logprob[0]");
  Bad(R"({"text":"a","token_ids_logprob":[[1]]})");
  CHECK_FALSE(Good(R"({"text":"a","token_ids_logprob":[]})").requests[0].token_ids_logprob);
}

TEST_CASE("embeddings are one matrix or several, told apart by depth") {
  const Record single = Good(R"({"input_embeds":[[1,2],[3,4.5]]})");
  CHECK_FALSE(single.is_array);
  CHECK(single.requests[0].input_embeds->rows == 2);
  CHECK(single.requests[0].input_embeds->width == 2);
  CHECK(single.requests[0].input_embeds->values == std::vector<float>{1, 2, 3, 4.5});
  CHECK(Good(R"({"input_embeds":[[[1,2]],[[3,4]]]})").requests.size() == 2);
  CHECK(Good(R"({"text":"a","input_embeds":[[1]]})").warnings.size() == 1);
  for (const char* embeds :
       {"[]", "[[]]", "[[1],[1,2]]", "[[1],2]", "[[\"x\"]]", "[[1e300]]", "7"}) {
    CHECK(Bad("{\"input_embeds\":" + std::string(embeds) + "}").param.rfind("input_embeds", 0) ==
          0);
  }
  Bad(R"({"input_embeds":[[1]],"return_logprob":true,"logprob_start_len":0})");
}

TEST_CASE("a sampling mask needs a bounded top_k") {
  Bad(R"({"text":"a","return_sampling_mask":true})");
  CHECK(Good(R"({"text":"a","return_sampling_mask":true,"sampling_params":{"top_k":4096}})")
            .requests[0]
            .return_sampling_mask);
  Bad(R"({"text":"a","return_sampling_mask":true,"sampling_params":{"top_k":4097}})");
}

TEST_CASE("lora_path chooses an adapter for each prompt, which is part of what a record draws") {
  RecordOptions options;
  options.find_adapter = [](std::string_view name) -> Result<AdapterChoice, std::string> {
    if (name == "a") return AdapterChoice{0, HashBytes("content of a")};
    if (name == "b") return AdapterChoice{1, HashBytes("content of b")};
    return std::string("a, b");
  };
  const auto parse = [&](const std::string& text) {
    InputRecord line;
    line.text = text;
    return RecordParser(options).Parse(std::move(line));
  };
  const auto list = parse(R"({"text":["x","y","z"],"lora_path":["b",null,""]})");
  REQUIRE(list.ok());
  CHECK(list->requests[0].adapter == 1);
  CHECK(list->requests[1].adapter == -1);
  CHECK(list->requests[2].adapter == -1);
  const auto samples =
      parse(R"({"text":["x","y"],"lora_path":["a","b"],"sampling_params":{"n":2}})");
  REQUIRE(samples.ok());
  CHECK(samples->requests[1].adapter == 0);
  CHECK(samples->requests[2].adapter == 1);
  const auto seed = [&](const std::string& path) {
    return parse(R"({"text":"x","lora_path":)" + path + "}")->requests[0].seed;
  };
  CHECK(seed("null") == seed(R"("")"));
  CHECK(seed(R"("a")") != seed("null"));
  CHECK(seed(R"("a")") != seed(R"("b")"));
  CHECK(parse(R"({"text":"x","lora_path":"c"})").error().error.message ==
        "lora_path is \"c\", must be the name of an adapter of the run (a, b)");
  CHECK(parse(R"({"text":["x","y"],"lora_path":["a","c"]})").error().error.param == "lora_path[1]");
  CHECK(parse(R"({"text":["x","y"],"lora_path":["a"]})").error().error.param == "lora_path");
  CHECK(parse(R"({"text":"x","lora_path":7})").error().error.param == "lora_path");
}

TEST_CASE("what is not supported yet is refused by name, its empty values are not") {
  for (const char* field :
       {R"("image_data":"a.png")", R"("audio_data":["a.wav"])", R"("video_data":["v"])",
        R"("custom_logit_processor":"{}")", R"("session_id":"s")", R"("session_params":{"id":"s"})",
        R"("return_entropy":true)", R"("watermark":{"a":1})",
        R"("sampling_logprobs_mode":"support")", R"("max_thinking_tokens":9)"}) {
    const std::string name = std::string(field).substr(1, std::string(field).find(':') - 2);
    INFO(field);
    const RecordError error = Bad(std::string(R"({"text":"a",)") + field + "}");
    CHECK(error.param == name);
    CHECK(error.message.rfind(name + " is not supported yet", 0) == 0);
  }
  CHECK(BadParams(R"({"dtype":"int"})").message.find("not supported yet") != std::string::npos);
  CHECK(Good(R"({"text":"a","image_data":[],"lora_path":"","custom_logit_processor":"",
                 "return_entropy":false,"sampling_logprobs_mode":"selected","session_id":null})")
            .warnings.empty());
  CHECK(Good(R"({"text":["a","b"],"lora_path":[null,null]})").requests.size() == 2);
  CHECK(Params(R"({"regex":"","json_schema":"","dtype":null,"custom_params":{"a":1}})").n == 1);
}

TEST_CASE("a constraint is its text, and an object stands for its JSON") {
  const auto constraint = [](const char* params) { return Params(params).constraint; };
  CHECK(constraint(R"({"regex":"a+"})") == Constraint{ConstraintKind::kRegex, "a+"});
  CHECK(constraint(R"({"ebnf":"root ::= \"a\""})") ==
        Constraint{ConstraintKind::kEbnf, "root ::= \"a\""});
  CHECK(constraint(R"({"json_schema":{"type":"object"}})") ==
        Constraint{ConstraintKind::kJsonSchema, R"({"type":"object"})"});
  CHECK(constraint(R"({"json_schema":true})") == Constraint{ConstraintKind::kJsonSchema, "true"});
  CHECK(constraint(R"({"structural_tag":{"format":1}})") ==
        Constraint{ConstraintKind::kStructuralTag, R"({"format":1})"});
  CHECK_FALSE(constraint(R"({"regex":"","json_schema":null})").has_value());
  CHECK(BadParams(R"({"regex":{}})").param == "sampling_params.regex");
  CHECK(BadParams(R"({"json_schema":3})").message ==
        "sampling_params.json_schema is an integer, must be a string, an object or a boolean");
  CHECK(BadParams(R"({"structural_tag":true})").param == "sampling_params.structural_tag");
}

TEST_CASE("reasoning has a budget, and says when it has no effect") {
  const Record record = Good(
      R"({"text":"a","require_reasoning":true,
          "sampling_params":{"regex":"a","custom_params":{"thinking_budget":7,"other":[1]}}})");
  CHECK(record.requests[0].require_reasoning);
  CHECK(record.requests[0].sampling->thinking_budget == 7);
  CHECK(record.warnings.empty());
  CHECK_FALSE(Good(R"({"text":"a","require_reasoning":false})").requests[0].require_reasoning);
  CHECK_FALSE(Params(R"({"custom_params":{"thinking_budget":null}})").thinking_budget.has_value());
  CHECK(
      Good(R"({"text":"a","require_reasoning":true})").warnings ==
      std::vector<std::string>{"require_reasoning is true without a constraint and has no effect"});
  CHECK(Good(R"({"text":"a","sampling_params":{"custom_params":{"thinking_budget":1}}})")
            .warnings.size() == 1);
  CHECK(BadParams(R"({"custom_params":{"thinking_budget":-1}})").message ==
        "sampling_params.custom_params.thinking_budget is -1, must be at least 0");
  CHECK(BadParams(R"({"custom_params":{"thinking_budget":"7"}})").param ==
        "sampling_params.custom_params.thinking_budget");
  CHECK(BadParams(R"({"custom_params":7})").param == "sampling_params.custom_params");
}

TEST_CASE("two grammars are an error of their own") {
  CHECK(BadParams(R"({"json_schema":"{}","regex":"a"})").message ==
        "sampling_params has json_schema and regex, only one of json_schema, regex, ebnf, "
        "structural_tag may be set");
  CHECK(BadParams(R"({"regex":"a","structural_tag":"b"})").message.find("only one of") !=
        std::string::npos);
  CHECK(Params(R"({"regex":"a","ebnf":""})").constraint == Constraint{ConstraintKind::kRegex, "a"});
  CHECK(BadParams(R"({"json_schema":false,"regex":"a"})").message.find("only one of") !=
        std::string::npos);
  CHECK(Bad(R"({"text":"a","session_id":"s","session_params":{"id":"s"}})").message ==
        "session_id and session_params cannot both be set");
}

TEST_CASE("fields of transport and scheduling are accepted without a warning") {
  CHECK(Good(R"({"text":"a","log_metrics":true,"priority":3,"stream":true,"bootstrap_host":"h",
                 "modalities":["image"],"kv_hints":{}})")
            .warnings.empty());
}

TEST_CASE("--sampling lies between the defaults and the record") {
  RecordOptions options = Options();
  options.defaults.temperature = 0.6;
  options.defaults.top_p = 0.9;
  options.sampling =
      ParseJson(R"({"temperature":0.5,"max_new_tokens":7,"stop":["S"]})").value().value;
  CHECK(CheckRunSampling(options).ok());
  const SamplingParams plain = Params("{}", options);
  CHECK(plain.temperature == 0.5);
  CHECK(plain.top_p == 0.9);
  CHECK(plain.max_new_tokens == 7);
  CHECK(plain.max_new_tokens_stated);
  CHECK(plain.stop == std::vector<std::string>{"S"});
  const SamplingParams own = Params(R"({"temperature":1.2,"stop":"T","top_p":null})", options);
  CHECK(own.temperature == 1.2);
  CHECK(own.stop == std::vector<std::string>{"T"});
  CHECK(own.top_p == 0.9);
}

TEST_CASE("a greedy default does not outlive a record's own temperature") {
  RecordOptions options = Options();
  options.sampling = ParseJson(R"({"temperature":0})").value().value;
  CHECK(Params("{}", options).greedy());
  CHECK_FALSE(Params(R"({"temperature":0.7})", options).greedy());
}

TEST_CASE("a wrong --sampling is found once, before the run") {
  RecordOptions options = Options();
  options.sampling = ParseJson(R"({"top_p":3})").value().value;
  const Status status = CheckRunSampling(options);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message == "--sampling.top_p is 3, must be in (0, 1]");
  Bad(R"({"text":"a"})", options);
}

TEST_CASE("the profile of 2024 changes defaults only") {
  RecordOptions options = Options();
  options.compat = Compat::k2024;
  CHECK(Params("{}", options).max_new_tokens == 16);
  CHECK_FALSE(Params("{}", options).max_new_tokens_stated);
  CHECK(Params(R"({"max_new_tokens":99})", options).max_new_tokens == 99);
  CHECK(Params(R"({"repetition_penalty":0.0})", options).repetition_penalty == 1.0);
  CHECK(Good(R"({"text":"a","return_logprob":true})", options).requests[0].logprob_start_len == 0);
}

TEST_CASE("with the profile of 2024, dtype int asks for digits up to a blank") {
  RecordOptions options = Options();
  options.compat = Compat::k2024;
  const auto params = Params(R"({"dtype":"int","stop":"x"})", options);
  REQUIRE(params.constraint.has_value());
  CHECK(params.constraint->kind == ConstraintKind::kRegex);
  CHECK(params.constraint->text == "-?[0-9]+[ \\n]?");
  CHECK(params.stop == std::vector<std::string>{" ", "\n"});
  CHECK_FALSE(Params(R"({"dtype":null})", options).constraint.has_value());
  const auto refused = [&](const char* record, const RecordOptions& with) {
    const RecordError error = Bad(record, with);
    INFO(error.message);
    return error.message.find("regex") != std::string::npos;
  };
  CHECK(Bad(R"({"text":"a","sampling_params":{"dtype":"str"}})", options).message ==
        R"(sampling_params.dtype is "str", must be "int")");
  CHECK(refused(R"({"text":"a","sampling_params":{"dtype":"int"}})", Options()));
  CHECK(Bad(R"({"text":"a","sampling_params":{"dtype":"int","json_schema":"{}"}})", options)
            .message.find("has json_schema and dtype") != std::string::npos);
}

TEST_CASE("a parameter without effect still has its kind") {
  CHECK(BadParams(R"({"custom_params":[1]})").message ==
        "sampling_params.custom_params is [1], must be an object");
  BadParams(R"({"custom_params":"x"})");
  BadParams(R"({"spaces_between_special_tokens":1})");
  BadParams(R"({"stream_interval":"1"})");
  Params(R"({"custom_params":{"a":[1,{"b":2}]},"stream_interval":2})");
  Params(R"({"custom_params":null})");
}

TEST_CASE("a stated seed is used as it is, otherwise it comes from run seed and content") {
  CHECK(Good(R"({"text":"a","sampling_params":{"sampling_seed":7}})").requests[0].seed == 7);
  CHECK(Good(R"({"text":"a","sampling_params":{"sampling_seed":-1}})").requests[0].seed ==
        ~std::uint64_t{0});
  const std::uint64_t seed = Good(R"({"text":"a"})").requests[0].seed;
  CHECK(Good(R"({ "text" : "a" })").requests[0].seed == seed);
  CHECK(Good(R"({"text":"a","rid":"R"})").requests[0].seed == seed);
  CHECK(Good(R"({"text":"b"})").requests[0].seed != seed);
  RecordOptions other = Options();
  other.run_seed = 43;
  CHECK(Good(R"({"text":"a"})", other).requests[0].seed != seed);
}

TEST_CASE("equal content has equal keys whatever the order of keys and the blanks") {
  const Record one = Good(R"({"text":"a","sampling_params":{"n":1,"top_p":0.5}})");
  const Record two = Good(R"( {"sampling_params": {"top_p":5e-1, "n":1.0}, "text":"\u0061"})");
  CHECK(one.resume_key == two.resume_key);
  CHECK(one.content_hash == two.content_hash);
  CHECK(Good(R"({"text":"b"})").resume_key != one.resume_key);
  const Record named = Good(R"({"rid":"R","text":"a","sampling_params":{"n":1,"top_p":0.5}})");
  CHECK(named.content_hash == one.content_hash);
  CHECK(named.resume_key != one.resume_key);
}

TEST_CASE("the k-th equal record has its own key, id, draws and shard") {
  RecordParser parser(Options());
  InputRecord line;
  line.text = R"({"text":"a"})";
  const Record first = std::move(parser.Parse(line)).value();
  const Record second = std::move(parser.Parse(line)).value();
  CHECK(first.resume_key != second.resume_key);
  CHECK(first.content_hash != second.content_hash);
  CHECK(first.requests[0].rid != second.requests[0].rid);
  CHECK(first.requests[0].seed != second.requests[0].seed);
}

TEST_CASE("a rid used twice is a warning, with strict an error") {
  for (const bool strict : {false, true}) {
    RecordOptions options = Options();
    options.strict = strict;
    RecordParser parser(options);
    InputRecord line;
    line.text = R"({"text":"a","rid":"R"})";
    CHECK(parser.Parse(line)->warnings.empty());
    line.text = R"({"text":"b","rid":"R"})";
    const auto second = parser.Parse(line);
    CHECK(second.ok() == !strict);
    if (!strict) CHECK(second->warnings.size() == 1);
  }
}

}  // namespace
}  // namespace sglrun::io
