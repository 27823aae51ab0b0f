#include "cli/options.h"
#include "serve/device_list.h"

#include <doctest/doctest.h>

#include <set>

namespace sglrun::cli {
namespace {

Result<Invocation> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "sglrun");
  return ParseCommandLine(static_cast<int>(words.size()), words.data());
}

std::string Refusal(std::vector<const char*> words) {
  const Result<Invocation> parsed = Parse(std::move(words));
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

TEST_CASE("operands and options may be mixed, long values take = or a blank") {
  const Result<Invocation> parsed =
      Parse({"batch", "a.jsonl", "-o", "-", "--max-rows=8", "b.jsonl", "--seed", "7", "-qv"});
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->command, Command::kBatch);
  const Options& options = parsed->options;
  CHECK_EQ(options.inputs, std::vector<std::string>{"a.jsonl", "b.jsonl"});
  CHECK_EQ(options.output, "-");
  CHECK_EQ(options.max_rows, 8);
  CHECK_EQ(options.seed, 7);
  CHECK(options.quiet);
  CHECK(options.verbose);
}

TEST_CASE("the last value of an option counts, sampling objects are laid over each other") {
  const Result<Invocation> parsed =
      Parse({"batch", "a", "--seed", "1", "--seed", "2", "--set", "top_k=5", "--set", "stop=END",
             "--sampling", "{\"top_k\":1,\"n\":2}"});
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->options.seed, 2);
  CHECK_EQ(parsed->options.sampling.CanonicalDump(), "{\"n\":2,\"stop\":\"END\",\"top_k\":5}");
}

TEST_CASE("an unknown option is refused with the nearest one of its command") {
  CHECK_NE(Refusal({"batch", "a", "--max-row", "5"}).find("\"--max-rows\""), std::string::npos);
  CHECK_NE(Refusal({"batch", "a", "--overwite"}).find("\"--overwrite\""), std::string::npos);
  // --count is an option of tokenize only.
  CHECK_NE(Refusal({"batch", "a", "--count"}).find("unknown option"), std::string::npos);
}

TEST_CASE("option values that would overflow sizes are refused with their range") {
  const char* huge = "9223372036854775807";
  for (const char* name : {"--max-rows", "--max-batch-tokens", "--context-length", "--threads"}) {
    const std::string refusal = Refusal({"batch", "a", name, huge});
    CHECK_NE(refusal.find(" is \"9223372036854775807\", must be an integer from "),
             std::string::npos);
  }
  for (const char* name : {"--batch-sizes", "--prefill-lengths", "--prompt-tokens",
                           "--output-tokens", "--max-batch-tokens", "--repeat"}) {
    CHECK_NE(Refusal({"bench", name, huge}).find(" from "), std::string::npos);
  }
  CHECK_EQ(Refusal({"batch", "a", "--max-rows", "16777217"}),
           "--max-rows is \"16777217\", must be an integer from 1 to 16777216");
  CHECK(Parse({"batch", "a", "--max-rows", "16777216"}).ok());
}

TEST_CASE("options before the command are refused") {
  CHECK_NE(Refusal({"--seed", "1", "batch", "a"}).find("--seed"), std::string::npos);
}

TEST_CASE("help is printed before other arguments are checked") {
  CHECK_EQ(Parse({"batch", "-h", "--shard", "9/2"})->help, HelpLevel::kShort);
  CHECK_EQ(Parse({"merge", "--help"})->help, HelpLevel::kLong);
  CHECK_EQ(Parse({"-h"})->help, HelpLevel::kShort);
  CHECK(Parse({"--version"})->version);
  CHECK_FALSE(Parse({})->has_command);
}

TEST_CASE("every option can be set and read back") {
  for (const OptionSpec& option : OptionTable()) {
    CAPTURE(option.name);
    Options options;
    std::string value = "x";
    if (option.kind == Kind::kFlag) value = "true";
    if (option.kind == Kind::kChoice) value = option.choices[1];
    if (option.kind == Kind::kInteger) value = "17";
    if (option.kind == Kind::kLimit) value = "17";
    if (option.kind == Kind::kIntegers) value = "17,18";
    if (option.kind == Kind::kSize) value = "3GiB";
    if (option.kind == Kind::kBytes) value = "80GiB";
    if (option.kind == Kind::kShard) value = "2/8";
    if (option.kind == Kind::kObject) value = "{\"n\":17}";
    if (option.kind == Kind::kAssignment || option.kind == Kind::kNamedPath) value = "n=17";
    REQUIRE(SetOption(option, value, options).ok());
    CHECK_NE(OptionValue(option, options).Dump(), OptionValue(option, Options{}).Dump());
  }
}

TEST_CASE("devices are one, or several different ones of a kind") {
  const auto is_device = [](const char* value) {
    return Parse({"batch", "in.jsonl", "--device", value}).ok();
  };
  for (const char* device :
       {"auto", "cpu", "cuda", "cuda:0", "cuda:3", "cuda:0,1,5", "sim", "sim:2"}) {
    CAPTURE(device);
    CHECK(is_device(device));
  }
  for (const char* device : {"", "gpu", "cuda:", "cuda:a", "cuda:0,", "cuda:0,0", "cuda:-1",
                             "sim:1,2", "cuda:N", "cpu:0"}) {
    CAPTURE(device);
    CHECK_FALSE(is_device(device));
  }
  CHECK(serve::ParseDevices("cuda:0,1,5").indices == std::vector<int>{0, 1, 5});
  CHECK(serve::ParseDevices("sim:3").indices == std::vector<int>{0, 1, 2});
}

TEST_CASE("names and short names are unique within a command, every option has a line") {
  for (const CommandSpec& command : CommandTable()) {
    std::set<std::string> seen;
    for (const OptionSpec& option : OptionTable()) {
      if ((option.commands & Bit(command.command)) == 0) continue;
      CAPTURE(option.name);
      CHECK(seen.insert(std::string(option.name)).second);
      if (option.short_name != 0) CHECK(seen.insert(std::string(1, option.short_name)).second);
      CHECK_FALSE(option.line.empty());
      CHECK_NE(option.line.back(), '.');
    }
  }
}

TEST_CASE("plan takes every option of batch") {
  for (const OptionSpec& option : OptionTable()) {
    CAPTURE(option.name);
    if ((option.commands & Bit(Command::kBatch)) != 0) {
      CHECK_NE(option.commands & Bit(Command::kPlan), 0u);
    }
  }
}

}  // namespace
}  // namespace sglrun::cli
