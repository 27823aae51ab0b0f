#include "cli/config.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sglrun::cli {
namespace {

class ScratchConfig {
 public:
  explicit ScratchConfig(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("sglrun_config_test_" + std::to_string(::getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~ScratchConfig() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Result<Invocation> ParseWith(const ScratchConfig& config, std::vector<const char*> more = {}) {
  const std::string path = config.path();
  std::vector<const char*> words = {"sglrun", "batch", "in", "--config", path.c_str()};
  words.insert(words.end(), more.begin(), more.end());
  return ParseCommandLine(static_cast<int>(words.size()), words.data());
}

TEST_CASE("keys are long option names with - or _, values of every kind") {
  const ScratchConfig config(
      "max_rows: 8\nkv-memory: 60%\nno-timing: true\nsampling: {temperature: 0, stop: [a, '1']}\n"
      "set: [n=2]\nshard: 1/2\n");
  const Result<Invocation> parsed = ParseWith(config);
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->options.max_rows, 8);
  CHECK_EQ(parsed->options.kv_memory, "60%");
  CHECK(parsed->options.no_timing);
  CHECK_EQ(parsed->options.shard.shard.index, 1);
  CHECK_EQ(parsed->options.sampling.CanonicalDump(),
           "{\"n\":2,\"stop\":[\"a\",\"1\"],\"temperature\":0}");
}

TEST_CASE("the command line wins") {
  const ScratchConfig config("seed: 1\nmax-rows: 2\nsampling: {n: 2, top_k: 3}\n");
  const Result<Invocation> parsed = ParseWith(config, {"--seed", "9", "--set", "n=4"});
  REQUIRE(parsed.ok());
  CHECK_EQ(parsed->options.seed, 9);
  CHECK_EQ(parsed->options.max_rows, 2);
  CHECK_EQ(parsed->options.sampling.CanonicalDump(), "{\"n\":4,\"top_k\":3}");
}

TEST_CASE("an error in a file is reported with its line") {
  const auto refusal = [](const std::string& text) {
    const ScratchConfig config(text);
    const Result<Invocation> parsed = ParseWith(config);
    REQUIRE_FALSE(parsed.ok());
    return parsed.error().message;
  };
  const std::string unknown = refusal("seed: 1\nmax_row: 2\n");
  CHECK_NE(unknown.find(".yaml:2: "), std::string::npos);
  CHECK_NE(unknown.find("\"max-rows\""), std::string::npos);
  CHECK_NE(refusal("seed: -4\n").find("at least 0"), std::string::npos);
  CHECK_NE(refusal("seed: {a: 1}\n").find("wrong form"), std::string::npos);
  CHECK_NE(refusal("- seed\n").find("mapping"), std::string::npos);
  CHECK_NE(refusal("seed: [\n").find("no YAML"), std::string::npos);
  CHECK_NE(refusal("config: more.yaml\n").find("cannot name another"), std::string::npos);
  CHECK_NE(refusal("max-rows: 1\nseed: 2\nmax_rows: 1\n").find(".yaml:3: the key \"max_rows\""),
           std::string::npos);
  CHECK_NE(refusal("sampling: {n: 1, top_k: 2, n: 2}\n").find("the key \"n\" occurs twice"),
           std::string::npos);
  CHECK_NE(
      refusal("sampling: {json_schema: {type: string, type: 1}}\n").find("the key \"type\" twice"),
      std::string::npos);
  // Aliases: a value within itself, and one that grows tenfold a line.
  CHECK_NE(refusal("sampling: &a {stop: [*a]}\n").find("\"sampling\" is nested more than 256 deep"),
           std::string::npos);
  CHECK_NE(refusal("set: &a [*a]\n").find("\"set\" is nested more than 256 deep"),
           std::string::npos);
  std::string bomb = "sampling:\n  a0: &a0 [[], []]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "*a" + std::to_string(i - 1) + ", ";
    bomb += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += name;
    bomb += "x]\n";
  }
  CHECK_NE(refusal(bomb).find("has more than 8.0 MiB"), std::string::npos);
  // An option of another command.
  CHECK_NE(refusal("count: true\n").find("unknown key"), std::string::npos);
}

}  // namespace
}  // namespace sglrun::cli
