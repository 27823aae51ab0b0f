// What one grammar and one text may hold and do: counted in steps and bytes, never timed.
#include "base/stop_flag.h"
#include "grammar/compile/constraint.h"
#include "grammar/matcher/machine.h"
#include "grammar/matcher/matcher.h"
#include "grammar/matcher/shared_masks.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

std::shared_ptr<const Vocabulary> Letters() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  texts.emplace_back("aaaaaaaa");
  return std::make_shared<const Vocabulary>(texts, 257);
}

// root ::= r0, r<i> ::= r<i+1> r<i+1> | "a"
std::string DoublingRules(int count) {
  std::string text = "root ::= r0\n";
  for (int i = 0; i + 1 < count; ++i) {
    const std::string next = " r" + std::to_string(i + 1);
    text += "r" + std::to_string(i) + " ::=" + next + next + " | \"a\"\n";
  }
  return text + "r" + std::to_string(count - 1) + " ::= \"a\"\n";
}

ConstraintOutcome CompileEbnf(const std::string& text, const Limits& limits = {}) {
  GrammarOptions options;
  options.limits = limits;
  return CompileConstraint({ConstraintKind::kEbnf, text}, options, Letters());
}

TEST_CASE("a grammar whose texts begin at thousands of places is refused before a mask is tried") {
  const auto outcome = CompileEbnf(DoublingRules(5'000));
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().verdict == Verdict::kTooLarge);
  CHECK(outcome.error().message ==
        "the grammar has 4997 places where a text may begin, the limit is 2000");
}

TEST_CASE("a mask of rules that call each other in long chains ends at its bound of steps") {
  const auto outcome = CompileEbnf(DoublingRules(1'900));
  REQUIRE(outcome.ok());
  Matcher matcher(outcome->grammar, Letters());
  std::vector<std::uint32_t> mask(9);
  CHECK(matcher.FillMask(mask) == Matcher::Mask::kNone);
  REQUIRE(matcher.failure());
  CHECK(matcher.failure()->message == "finding the next tokens takes more than 500000 steps");
}

TEST_CASE("compiled automata are bounded in bytes") {
  Limits limits;
  limits.program_bytes = 20'000;
  std::string words = "root ::= \"w0\"";
  for (int i = 1; i < 2'000; ++i) words += " | \"w" + std::to_string(i * 7919) + "\"";
  const auto outcome = CompileEbnf(words, limits);
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().verdict == Verdict::kTooLarge);
  CHECK(outcome.error().message ==
        "an automaton of the grammar has more than " +
            std::to_string(limits.program_bytes / sizeof(Machine::Edge)) + " edges");
  CHECK(CompileEbnf(words).ok());
}

TEST_CASE("a long text of many calls holds no more than the places it can return to") {
  const auto outcome =
      CompileEbnf("root ::= item*\nitem ::= \"(\" list \")\"\nlist ::= item* \"a\"");
  REQUIRE(outcome.ok());
  Matcher matcher(outcome->grammar, Letters());
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    REQUIRE(matcher.AcceptBytes("((a)a)") == 6);
    most = std::max(most, matcher.MemoryBytes());
  }
  CHECK(most < 200'000);
  CHECK(matcher.IsComplete());
}

TEST_CASE("a text whose parse state is too large is refused with its size and the limit") {
  Limits limits;
  limits.matcher_bytes = 100'000;
  const auto outcome = CompileEbnf("root ::= \"(\" root \")\" | \"a\"", limits);
  REQUIRE(outcome.ok());
  Matcher matcher(outcome->grammar, Letters());
  for (int i = 0; i < 10'000 && !matcher.failure(); ++i) matcher.AcceptToken('(');
  REQUIRE(matcher.failure());
  CHECK(matcher.failure()->verdict == Verdict::kTooLarge);
  CHECK(matcher.failure()->message.find("the limit is 100000") != std::string::npos);
  CHECK(!matcher.AcceptToken('a'));
}

TEST_CASE("the work of a whole text is bounded, alike with and without masks known before") {
  Limits limits;
  limits.steps_per_text = 20'000;
  limits.more_steps_per_token = 0;
  const auto outcome = CompileEbnf("root ::= [a-z]* \"!\"", limits);
  REQUIRE(outcome.ok());
  const auto vocabulary = Letters();
  std::vector<std::uint32_t> mask(9);
  const auto tokens_until_refused = [&] {
    Matcher matcher(outcome->grammar, vocabulary);
    int tokens = 0;
    for (; tokens < 100'000 && !matcher.failure(); ++tokens) {
      matcher.FillMask(mask);
      matcher.AcceptToken('a');
    }
    CHECK(matcher.failure());
    return tokens;
  };
  const int first = tokens_until_refused();
  CHECK(first > 1'000);
  CHECK(first == tokens_until_refused());
}

class Stopped {
 public:
  Stopped() { StopFlag::Request(); }
  ~Stopped() { StopFlag::Clear(); }
};

TEST_CASE("a compile ends when the process is asked to stop, and has no verdict then") {
  const Stopped stopped;
  const auto outcome = CompileEbnf(DoublingRules(500));
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().verdict == Verdict::kStopped);
  ConstraintStore store({}, Letters, {.threads = 1});
  const auto pending = store.Want({ConstraintKind::kRegex, "[a-z]{2,50}"});
  pending->Wait();
  CHECK(!pending->ready());
}

TEST_CASE("work that is under way looks at the stop flag every million steps") {
  const Limits limits;
  Budget budget(limits);
  REQUIRE(budget.Spend("testing").ok());
  const Stopped stopped;
  std::int64_t steps = 0;
  while (budget.Spend("testing", 1'000).ok()) steps += 1'000;
  CHECK(steps <= 1'000'000);
}

TEST_CASE("the masks of many grammars share one memory limit") {
  const auto vocabulary = Letters();
  const auto share = [&] { return SharedMasks::Of(*vocabulary).ShareOfCache(); };
  const std::size_t alone = share();
  {
    std::vector<std::shared_ptr<const CompiledGrammar>> held;
    std::vector<Matcher> matchers;
    for (int i = 0; i < 64; ++i) {
      const auto outcome = CompileEbnf("root ::= [a-z]* \"" + std::to_string(i) + "\"");
      REQUIRE(outcome.ok());
      matchers.emplace_back(outcome->grammar, vocabulary);
    }
    CHECK(share() <= alone / 64);
  }
  CHECK(share() == alone);
}

}  // namespace
}  // namespace sglrun::grammar
