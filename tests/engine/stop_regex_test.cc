// Searches for stop patterns in a growing text, against PCRE2's search of the whole text.
#include "engine/stop_regex.h"

#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/stop_flag.h"

namespace sglrun::engine {
namespace {

using Outcome = StopRegex::Outcome;

StopRegex Make(const std::string& pattern) {
  INFO(pattern);
  auto regex = StopRegex::Compile(pattern);
  REQUIRE(regex.ok());
  return std::move(regex).value();
}

Outcome SearchIn(const std::string& pattern, const std::string& text) {
  StopBudget budget;
  return Make(pattern).Search(text, budget);
}

// What a search is compared with: PCRE2 on the whole text, with nothing kept between searches.
class WholeSearch {
 public:
  explicit WholeSearch(const std::string& pattern) {
    int error = 0;
    std::size_t offset = 0;
    code_ = CompileStopPattern(pattern, 0, error, offset);
  }
  bool is_valid() const { return code_ != nullptr; }
  bool Finds(const std::string& text) const {
    const PcreMatchData match(pcre2_match_data_create(1, nullptr));
    return pcre2_match(code_.get(), PcreUnits(text), text.size(), 0, 0, match.get(), nullptr) >= 0;
  }

 private:
  PcreCode code_;
};

// Patterns of everything that an automaton follows, and texts that touch their edges.
class RandomPatterns {
 public:
  explicit RandomPatterns(std::uint32_t seed) : random_(seed) {}

  std::string Choice(int depth) {
    std::string pattern = Sequence(depth);
    while (Below(4) == 0) pattern += "|" + (Below(10) > 0 ? Sequence(depth) : std::string());
    return pattern;
  }
  std::string Piece() {
    return Pick({"a", "b", "c", " ", "é", "x",   "1",  "\n", "A",    "É",      "日",    "K",
                 "ſ", "_", "-", "]", "}", "a\n", "ab", "",   "\n\n", "\u212a", "\ufffd"});
  }
  std::size_t Below(std::size_t end) { return random_() % end; }

 private:
  std::string Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }

  std::string Sequence(int depth) {
    std::string pattern;
    if (Below(9) == 0) pattern = Pick({"(?i)", "(?s)", "(?m)", "(?-i)", "(?^)"});
    for (std::size_t left = 1 + Below(4); left > 0; --left) {
      pattern += Item(depth);
      if (Below(9) < 4) pattern += Quantifier();
      if (Below(60) == 0) pattern += Quantifier();
    }
    return pattern;
  }
  std::string Quantifier() {
    return Pick({"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "{0,2}?"});
  }
  std::string Item(int depth) {
    const std::size_t kind = Below(12);
    if (depth > 0 && kind < 3) return Group(depth - 1);
    if (kind == 3) return Pick({"^", "$", "\\b", "\\B", "\\A", "\\z", "\\Z"});
    if (kind < 6) return OneOfMany();
    return Pick({"a", "b", "c", "é", " ", "1", "\n", "A"});
  }
  std::string Group(int depth) {
    const std::string name = "n" + std::to_string(++names_);
    return Pick({"(", "(?:", "(?P<" + name + ">", "(?<" + name + ">", "(?'" + name + "'",
                 "(?i:", "(?s:", "(?-i:", "(?m:", "(?^:", "(?im-s:"}) +
           Choice(depth) + ")";
  }
  std::string OneOfMany() {
    return Pick({"[ab]",  "[^a]",    "[]a]",   "[^]b]",   "[[:alpha:]]", "[[:^digit:]x]",
                 "[a-c]", "[\\w-]",  "[\\]a]", "[é-ü]",   "[^\\W]",      "\\d",
                 "\\w",   "\\s",     "\\W",    "\\S",     "\\D",         ".",
                 "\\x61", "\\x{e9}", "\\pL",   "\\p{Lu}", "\\P{L}",      "\\n",
                 "\\t",   "\\h",     "\\N",    "\\.",     "\\-",         "日",
                 "K",     "]",       "}",      "\\0",     "\\é",         "[[]"});
  }

  std::mt19937 random_;
  int names_ = 0;
};

// Grows a text until both searches have found a match, or for some steps.
void CompareOnce(const std::string& pattern, const WholeSearch& whole, RandomPatterns& random) {
  StopRegex growing = Make(pattern);
  StopBudget budget;
  std::string text;
  for (int step = 0; step < 14; ++step) {
    for (std::size_t pieces = random.Below(3); pieces > 0; --pieces) text += random.Piece();
    const bool expected = whole.Finds(text);
    INFO("/", pattern, "/ in \"", text, "\"");
    REQUIRE(growing.Search(text, budget) == (expected ? Outcome::kMatch : Outcome::kNoMatch));
    if (expected) return;
  }
}

TEST_CASE("a search in a growing text finds what PCRE2 finds in the whole, for random patterns") {
  RandomPatterns random(5);
  int linear = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string pattern = random.Choice(2);
    const WholeSearch whole(pattern);
    if (!whole.is_valid()) continue;
    linear += Make(pattern).is_linear() ? 1 : 0;
    for (int text = 0; text < 4; ++text) CompareOnce(pattern, whole, random);
  }
  CHECK(linear > 800);
}

TEST_CASE("patterns without an automaton are searched by PCRE2, with the same matches") {
  RandomPatterns random(6);
  for (const char* pattern :
       {"(?=ab)", "(?<=a)b", "a(?!b)c", "(?>a*)b", "(?<!a)bb", "(a)(b)?\\1", "b(?=c| )", "a++b",
        "(?|a|b)c", "\\Ka", "(?P<x>a)(?P=x)", "(a|b(?1)c)", "a\\Rb", "\\X\\b", "(?x) a b",
        "(?(?=a)ab|b)", "[\\Qa\\E]b", "a(?#note)b", "(?i)(?<=A)é"}) {
    const WholeSearch whole(pattern);
    REQUIRE(whole.is_valid());
    CHECK_FALSE(Make(pattern).is_linear());
    for (int text = 0; text < 40; ++text) CompareOnce(pattern, whole, random);
  }
}

TEST_CASE("patterns of everyday use read each character once, without any budget") {
  const std::vector<std::string> patterns = {
      "(\\w+\\s)*END", "( la)+ ?!",      "(?:a+)+b\\d",        "(x+x+)+y",
      "\\n\\s*\\n",    "^Answer: .*$",   "(?i)\\bstop\\b",     "</?[a-z]+>",
      "```\\s*$",      "\\d{3}-\\d{4}",  "[.!?]\\s+[A-Z]\\w*", "(Human|User|Q):\\s*\\Z",
      "\\{\"end\"\\}", "(?s)<a>.*?</a>", "a{0,500}b{2,}",      "\\p{Han}{8}"};
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += " la";
  for (const std::string& pattern : patterns) {
    INFO(pattern);
    StopRegex regex = Make(pattern);
    CHECK(regex.is_linear());
    StopBudget none(0);
    for (std::size_t size = 0; size <= text.size(); size += 30) {
      REQUIRE(regex.Search(std::string_view(text).substr(0, size), none) == Outcome::kNoMatch);
    }
  }
}

TEST_CASE("a pattern of too many states is left to PCRE2") {
  CHECK(Make("(?:ab?){500}").is_linear());
  CHECK_FALSE(Make("a{5000}").is_linear());
  CHECK_FALSE(Make("[ab]{3,60000}b").is_linear());
  // Copies of nothing take no states, but the time to lay them out.
  CHECK(StopProgram::Make("(?:(?:(?:){60000}){60000}){60000}") == nullptr);
}

TEST_CASE("the searches of a record share one budget of counted steps") {
  const std::string text(30, 'a');
  for (const std::int64_t steps : {1'000, 100'000}) {
    StopBudget budget(steps);
    StopRegex costly = Make("(?!x)(?:a+)+[bc]");
    CHECK(costly.Search(text, budget) == Outcome::kLimit);
    StopRegex cheap = Make("(?!x)b");
    CHECK(cheap.Search(text, budget) == Outcome::kLimit);
  }
  // Many cheap searches use it up as one costly search does.
  StopBudget budget(10'000);
  StopRegex regex = Make("(?=a)a+(?=b)");
  std::string growing;
  Outcome outcome = Outcome::kNoMatch;
  for (int i = 0; i < 10'000 && outcome == Outcome::kNoMatch; ++i) {
    outcome = regex.Search(growing += 'a', budget);
  }
  CHECK(outcome == Outcome::kLimit);
  CHECK(growing.size() > 20);
}

TEST_CASE("a long run that one item passes costs as many steps as it has characters") {
  StopBudget budget(50'000);
  StopRegex regex = Make("(?=a)[a ]+b");
  CHECK(regex.Search(std::string(1'000, 'a'), budget) == Outcome::kLimit);
}

TEST_CASE("a search ends when the process is asked to stop, without a result") {
  const std::string text(40, 'a');
  StopRegex regex = Make("(?!x)(?:a+)+[bc]");
  StopBudget budget(std::int64_t{1} << 60);
  StopFlag::Request();
  const Outcome outcome = regex.Search(text, budget);
  StopFlag::Clear();
  CHECK(outcome == Outcome::kStopped);
}

TEST_CASE("^ is the start of the output and $ its end, or the place before a last newline") {
  CHECK(SearchIn("^b", "a\nb") == Outcome::kNoMatch);
  CHECK(SearchIn("(?m)^b", "a\nb") == Outcome::kMatch);
  CHECK(SearchIn("a$", "a\n") == Outcome::kMatch);
  CHECK(SearchIn("a$\\n", "a\n") == Outcome::kMatch);
  CHECK(SearchIn("a$", "a\n\n") == Outcome::kNoMatch);
  CHECK(SearchIn("a\\z", "a\n") == Outcome::kNoMatch);
  CHECK(SearchIn("(?m)a$", "a\n\n") == Outcome::kMatch);
  StopBudget budget;
  StopRegex regex = Make("a$");
  CHECK(regex.Search("ab", budget) == Outcome::kNoMatch);
  CHECK(regex.Search("aba\n", budget) == Outcome::kMatch);
}

TEST_CASE("equal patterns are compiled once, each search has its own place in its text") {
  StopRegexes regexes;
  StopBudget budget;
  for (const std::string pattern : {"b$", "(?=b)b$"}) {
    auto one = regexes.Make(pattern);
    auto two = regexes.Make(pattern);
    REQUIRE(one.ok());
    REQUIRE(two.ok());
    CHECK(one->Search("xyz", budget) == Outcome::kNoMatch);
    CHECK(two->Search("b", budget) == Outcome::kMatch);
    CHECK(one->Search("xyzb", budget) == Outcome::kMatch);
  }
  CHECK(regexes.size() == 2);
  // Old ones are let go, and live on in their searches.
  auto old = regexes.Make("b$");
  for (int i = 0; i < 200; ++i) REQUIRE(regexes.Make("a" + std::to_string(i)).ok());
  CHECK(regexes.size() < 100);
  CHECK(old->pattern() == "b$");
  CHECK(old->Search("b", budget) == Outcome::kMatch);
}

}  // namespace
}  // namespace sglrun::engine
