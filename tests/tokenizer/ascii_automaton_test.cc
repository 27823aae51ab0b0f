#include "tokenizer/ascii_automaton.h"

#include <random>
#include <string>

#include "tests/tokenizer/small_tokenizers.h"
#include "tokenizer/pre_patterns.h"
#include "tokenizer/regex.h"
#include "tokenizer/regex_dialect.h"

namespace sglrun::tokenizer {
namespace {

std::vector<Match> MatchesOf(const Regex& regex, std::string_view text) {
  std::vector<Match> matches;
  REQUIRE(regex.FindAll(text, matches).ok());
  return matches;
}

Regex Compiled(std::string_view pattern) {
  CAPTURE(pattern);
  auto regex = Regex::Compile(pattern);
  REQUIRE_MESSAGE(regex.ok(), (regex.ok() ? "" : regex.error().message));
  return std::move(regex).value();
}

std::optional<AsciiSet> SetOfAtom(std::string_view atom, bool caseless) {
  const Regex regex = Compiled((caseless ? "(?i)" : "") + std::string(atom));
  AsciiSet set;
  for (std::size_t c = 0; c < set.size(); ++c) {
    const char text = static_cast<char>(c);
    set[c] = !MatchesOf(regex, {&text, 1}).empty();
  }
  return set;
}

bool HasAutomaton(std::string_view pattern) {
  const auto translated = TranslatePattern(pattern);
  REQUIRE(translated.ok());
  const auto tree = ParseRegexTree(*translated, SetOfAtom);
  return tree && AsciiAutomaton::Build(*tree) != nullptr;
}

std::string RandomText(std::mt19937& random, std::span<const std::string_view> alphabet,
                       std::size_t length) {
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += alphabet[random() % alphabet.size()];
  return out;
}

// Regex asks the automaton first. An empty look ahead is beyond it, so that PCRE2 alone answers.
void CheckAgainstPcre(std::string_view pattern, const std::vector<std::string>& texts) {
  CAPTURE(pattern);
  const Regex regex = Compiled(pattern);
  const Regex by_pcre = Compiled("(?:" + std::string(pattern) + ")(?=)");
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::vector<Match> matches = MatchesOf(regex, text);
    const std::vector<Match> expected = MatchesOf(by_pcre, text);
    REQUIRE(matches.size() == expected.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      REQUIRE(matches[i].begin == expected[i].begin);
      REQUIRE(matches[i].end == expected[i].end);
    }
  }
}

TEST_CASE("the families' patterns cut text as PCRE2 cuts it") {
  constexpr std::string_view kAlphabet[] = {"a",    "B", "s", "T",  "'", "'",      "1",  "2",  "_",
                                            "-",    "/", " ", " ",  " ", "\n",     "\r", "\t", ".",
                                            "\x7F", "é", "ſ", "中", "́",  "\u00A0", "٣"};
  std::mt19937 random(7);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 120; ++i) texts.push_back(RandomText(random, kAlphabet, i % 40));
  for (const char* family :
       {"gpt-2", "llama3", "qwen2", "qwen35", "gpt-4o", "kimi-k2", "tekken", "smollm", "falcon",
        "deepseek-v3", "deepseek-coder", "deepseek-llm", "seed-coder", "bailingmoe", "bloom"}) {
    const auto pre = FindPrePattern(family);
    REQUIRE(pre.ok());
    for (const std::string_view pattern : pre->patterns) CheckAgainstPcre(pattern, texts);
  }
}

// An item of a pattern, repeated or not, over a, b and c.
std::string RandomItem(std::mt19937& random, int depth) {
  constexpr std::string_view kAtoms[] = {"a", "b", "[^a]", ".", "[ab]", "c"};
  constexpr std::string_view kRepeats[] = {"", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"};
  if (random() % 8 == 0) return "(?!" + std::string(kAtoms[random() % 6]) + ")";
  std::string item(kAtoms[random() % 6]);
  if (depth > 0 && random() % 2 == 0) {
    item = random() % 2 == 0 ? "(" : "(?i:";
    for (int ways = 0; ways < 2; ++ways) {
      item += ways == 0 ? "" : "|";
      for (std::size_t i = 0; i < 1 + random() % 2; ++i) item += RandomItem(random, depth - 1);
    }
    item += ")";
  }
  return item + std::string(kRepeats[random() % 10]);
}

TEST_CASE("patterns at random match as PCRE2 matches them") {
  constexpr std::string_view kAlphabet[] = {"a", "b", "c", "A", "é"};
  std::mt19937 random(11);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i) texts.push_back(RandomText(random, kAlphabet, i % 9));
  int with_automaton = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string pattern = RandomItem(random, 2) + RandomItem(random, 1);
    if (!HasAutomaton(pattern)) continue;  // PCRE2 may give up on those
    ++with_automaton;
    CheckAgainstPcre(pattern, texts);
  }
  CHECK(with_automaton > 60);
}

TEST_CASE("the patterns of common families have an automaton") {
  for (const char* family : {"gpt-2", "llama3", "qwen2", "qwen35", "gpt-4o", "tekken", "smollm"}) {
    CAPTURE(family);
    const auto pre = FindPrePattern(family);
    REQUIRE(pre.ok());
    for (const std::string_view pattern : pre->patterns) CHECK(HasAutomaton(pattern));
  }
}

TEST_CASE("patterns that say more than a table can have no automaton") {
  for (const char* pattern : {"a*+b", "(a)\\1", "^a", "a$", "(?=a)b", "(?<!a)b", "(a*)*", "(?!ab)c",
                              "a{200}", "(((a{30}){30}){30})b"}) {
    CAPTURE(pattern);
    CHECK_FALSE(HasAutomaton(pattern));
  }
  std::string ways = "(?:(?!a)|(?!b))";
  for (int i = 0; i < 5; ++i) ways += ways;
  CHECK(HasAutomaton(ways + "c"));  // and in no time
}

TEST_CASE("a pattern that walks far for nothing is left to PCRE2, which gives up in words") {
  const Regex regex = Compiled("(a+)+c|d");
  std::vector<Match> matches;
  const Status status = regex.FindAll(std::string(20'000, 'a'), matches);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("a pattern failed") != std::string::npos);
}

}  // namespace
}  // namespace sglrun::tokenizer
