#include "tokenizer/regex.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "base/stop_flag.h"
#include "tokenizer/regex_dialect.h"

namespace sglrun::tokenizer {
namespace {

std::string Matches(std::string_view pattern, std::string_view text) {
  auto regex = Regex::Compile(pattern);
  REQUIRE_MESSAGE(regex.ok(), (regex.ok() ? "" : regex.error().message));
  std::vector<Match> matches;
  REQUIRE(regex->FindAll(text, matches).ok());
  std::string out;
  for (const Match& match : matches) {
    out += "<" + std::string(text.substr(match.begin, match.end - match.begin)) + ">";
  }
  return out;
}

TEST_CASE("matches are found from left to right and do not overlap") {
  CHECK(Matches("aa", "aaaaa") == "<aa><aa>");
  CHECK(Matches("x", "abc").empty());
  CHECK(Matches("x*", "axxb") == "<><xx><>");
}

TEST_CASE("a signal ends a search that tries every place of a long text") {
  auto regex = Regex::Compile(R"((\p{L}+)\d\1)");
  REQUIRE(regex.ok());
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "é";
  // The search is not over when the signal comes, and would come to an end without a match.
  std::thread signal([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    StopFlag::Request();
  });
  std::vector<Match> matches;
  const Status found = regex->FindAll(text, matches);
  signal.join();
  StopFlag::Clear();
  REQUIRE(!found.ok());
  CHECK(found.error().message == "stopped by a signal");
}

TEST_CASE("spaces and word characters are Oniguruma's") {
  CHECK(Matches(R"(\s)", "a\u180Eb\u3000c") == "<\u3000>");
  CHECK(Matches(R"([^\s]+)", "a\u180Eb c") == "<a\u180Eb><c>");
  CHECK(Matches(R"([\S]+)", "a\u180Eb c") == "<a\u180Eb><c>");
  CHECK(Matches(R"(\w+)", "e\u0301_1 ²") == "<e\u0301_1><²>");
  CHECK(Matches(R"(\h+)", "xfeedG9") == "<feed><9>");
  CHECK(Matches("^b$", "a\nb\nc") == "<b>");
}

TEST_CASE("the contraction of a long s is a contraction") {
  CHECK(Matches("(?i:'s)", "x'S y'ſ") == "<'S><'ſ>");
}

TEST_CASE("a script is the script, not its extensions") {
  // U+30FC belongs to Common; Katakana is among its extensions.
  CHECK(Matches(R"(\p{Katakana}+)", "カー") == "<カ>");
  CHECK(Matches(R"(\p{L}+)", "カー1") == "<カー>");
}

TEST_CASE("pattern syntax that other engines interpret differently is refused") {
  for (const char* pattern : {"[a-z&&[aeiou]]", "[a[b]]", "a{1,3}+", "(?m:.)", R"(\bword)", R"(\C)",
                              R"(\Kx)", "(", R"(\)", R"([\W])"}) {
    CAPTURE(pattern);
    CHECK_FALSE(Regex::Compile(pattern).ok());
  }
  CHECK_FALSE(Regex::Compile(std::string(1 << 17, 'a')).ok());
}

TEST_CASE("a literal has no meta characters") {
  auto regex = Regex::CompileLiteral(".*");
  REQUIRE(regex.ok());
  std::string text = "a.*b.c";
  REQUIRE(ReplaceAll(*regex, "$0", text).ok());
  CHECK(text == "a$0b.c");
}

TEST_CASE(
    "a long run of blanks is matched, and a pattern that backtracks too much ends with an error") {
  const std::string blanks(1 << 20, ' ');
  CHECK(Matches(R"(\s*[\r\n]+|\s+(?!\S)|\s+)", blanks).size() == blanks.size() + 2);
  auto hopeless = Regex::Compile("(a+)+$");
  REQUIRE(hopeless.ok());
  std::vector<Match> matches;
  const Status status = hopeless->FindAll(std::string(64, 'a') + "b", matches);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("a pattern failed") != std::string::npos);
}

TEST_CASE("translation leaves other syntax alone") {
  CHECK(*TranslatePattern(R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})") ==
        R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})");
  CHECK(*TranslatePattern(R"(\u4e00[[:alpha:]]\p{Han})") == R"(\x{4e00}[[:alpha:]]\p{sc:Han})");
}

}  // namespace
}  // namespace sglrun::tokenizer
