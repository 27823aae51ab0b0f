#include "chat/parameters.h"

#include <doctest/doctest.h>

namespace sglrun::chat {
namespace {

Parameters Fresh() {
  SamplingParams defaults;
  defaults.temperature = 0.6;
  return Parameters(defaults, 100, [](const Constraint& constraint) {
    return constraint.text == "(" ? Status(Error{"the group is open"}) : Status();
  });
}

std::string Refusal(std::string_view name, std::string_view value) {
  Parameters parameters = Fresh();
  const Status status = parameters.Set(name, value);
  return status.ok() ? "accepted" : status.error().message;
}

TEST_CASE("a parameter is checked when it is set, with the same messages as in a request") {
  CHECK(Refusal("temperature", "0.7") == "accepted");
  CHECK(Refusal("temperature", "-1") == "temperature is -1, must be at least 0");
  CHECK(Refusal("temperature", "warm") == "temperature is \"warm\", must be a number");
  CHECK(Refusal("top_p", "2") == "top_p is 2, must be in (0, 1]");
  CHECK(Refusal("temprature", "1") ==
        "unknown parameter temprature (did you mean \"temperature\"?)");
  CHECK(Refusal("temprature", "null") ==
        "unknown parameter temprature (did you mean \"temperature\"?)");
  CHECK(Refusal("regex", "(") == "the group is open");
  CHECK(Refusal("max_new_tokens", "0") == "max_new_tokens is 0, an answer needs at least 1");
  CHECK(Refusal("n", "3") == "n is 3, a chat has one answer");
  CHECK(Refusal("stop_regex", "(").find("stop_regex") != std::string::npos);
  CHECK(Refusal("stop", "\n") == "accepted");
  CHECK(Refusal("stop", "END") == "accepted");
  CHECK(Refusal("logit_bias", "{\"100\": 1}").find("logit_bias") != std::string::npos);
  CHECK(Refusal("min_new_tokens", "5") == "accepted");
}

TEST_CASE("a refused value changes nothing, and null takes one back to its default") {
  Parameters parameters = Fresh();
  REQUIRE(parameters.Set("temperature", "0.9").ok());
  CHECK_FALSE(parameters.Set("temperature", "x").ok());
  CHECK(parameters.effective().temperature == 0.9);
  REQUIRE(parameters.Set("temperature", "null").ok());
  CHECK(parameters.set().empty());
  CHECK(parameters.effective().temperature == 0.6);
}

TEST_CASE("a new constraint replaces the previous one") {
  Parameters parameters = Fresh();
  REQUIRE(parameters.SetConstraint(ConstraintKind::kRegex, "a+").ok());
  REQUIRE(parameters.Set("ebnf", "root ::= \"x\"").ok());
  CHECK(parameters.constraint() == "ebnf");
  CHECK(parameters.set().size() == 1);
  REQUIRE(parameters.SetConstraint(ConstraintKind::kJsonSchema, "").ok());
  CHECK(parameters.constraint().empty());
}

TEST_CASE("an answer's parameters state everything that a replay needs") {
  Parameters parameters = Fresh();
  REQUIRE(parameters.Set("top_k", "5").ok());
  REQUIRE(parameters.Set("min_new_tokens", "80").ok());
  CHECK(Json(parameters.ForAnswer(50, 7)).Dump() ==
        R"({"temperature":0.6,"top_p":1,"top_k":5,"min_p":0,"repetition_penalty":1,)"
        R"("min_new_tokens":50,"max_new_tokens":50,"sampling_seed":7})");
  REQUIRE(parameters.Set("min_new_tokens", "null").ok());
  REQUIRE(parameters.Set("max_new_tokens", "10").ok());
  REQUIRE(parameters.Set("sampling_seed", "3").ok());
  CHECK(Json(parameters.ForAnswer(50, 7)).Dump() ==
        R"({"temperature":0.6,"top_p":1,"top_k":5,"min_p":0,"repetition_penalty":1,)"
        R"("max_new_tokens":10,"sampling_seed":7})");
}

TEST_CASE("a parameter tells its value, its range and what it does") {
  Parameters parameters = Fresh();
  CHECK(*parameters.Describe("top_p") ==
        "top_p is default: keep the most likely tokens up to this total probability (a number, "
        "in (0, 1])");
  REQUIRE(parameters.Set("sampling_seed", "9223372036854775807").ok());
  CHECK(parameters.Describe("sampling_seed")
            ->find("in [-9223372036854775808, 9223372036854775807])") != std::string::npos);
  CHECK(Refusal("sampling_seed", "9223372036854775808").find("integer of 64 bits") !=
        std::string::npos);
  CHECK(Refusal("sampling_seed", "-9223372036854775808") == "accepted");
  CHECK(parameters.Describe("beam_width").error().message.find("no use in a chat") !=
        std::string::npos);
}

}  // namespace
}  // namespace sglrun::chat
