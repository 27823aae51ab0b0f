#include "grammar/automaton/dfa.h"

#include <doctest/doctest.h>

#include "automaton/helpers.h"

namespace sglrun::grammar {
namespace {

const Limits kLimits;

TEST_CASE("the plain languages hold what their names say") {
  CHECK(!AcceptsText(NoText(), ""));
  CHECK(AcceptsText(EmptyText(), ""));
  CHECK(!AcceptsText(EmptyText(), "a"));
  CHECK(AcceptsText(AnyText(), ""));
  CHECK(AcceptsText(AnyText(), "a\n\xF0\x9F\x98\x80"));
  CHECK(AcceptsText(OneOf(CharSet{{U'a', U'f'}, {U'x', U'x'}}), "e"));
  CHECK(!AcceptsText(OneOf(CharSet{{U'a', U'f'}, {U'x', U'x'}}), "g"));
  CHECK(!AcceptsText(OneOf(CharSet{{U'a', U'f'}}), "aa"));
  CHECK(OneOf(CharSet{}) == NoText());
  CHECK(AcceptsText(ExactText("na\xC3\xAFve"), "na\xC3\xAFve"));
  CHECK(!AcceptsText(ExactText("na\xC3\xAFve"), "naive"));
  CHECK(ExactText("") == EmptyText());
}

TEST_CASE("a set of words holds them and nothing else, in the least automaton") {
  const std::vector<std::string> words{"abc", "abd", "xbd", "", "xbc", "abc"};
  const Dfa dfa = Words(words);
  for (const std::string& word : words) CHECK(AcceptsText(dfa, word));
  for (const char* other : {"a", "ab", "abcd", "bd", "x"}) CHECK(!AcceptsText(dfa, other));
  CHECK(dfa.states.size() == 4);
  CHECK(Words({}) == NoText());
  CHECK(Words(std::vector<std::string>{""}) == EmptyText());
  CHECK(Words(std::vector<std::string>{"caf\xC3\xA9"}) == ExactText("caf\xC3\xA9"));
}

TEST_CASE("lengths count characters, with and without an upper bound") {
  Budget budget(kLimits);
  const Dfa some = *LengthBetween(2, 3, budget);
  CHECK(!AcceptsText(some, "a"));
  CHECK(AcceptsText(some, "a\xF0\x9F\x98\x80"));
  CHECK(AcceptsText(some, "\n\r\t"));
  CHECK(!AcceptsText(some, "abcd"));
  CHECK(*LengthBetween(0, std::nullopt, budget) == AnyText());
  CHECK(*LengthBetween(0, 0, budget) == EmptyText());
  CHECK(*LengthBetween(3, 2, budget) == NoText());
  for (const auto& dfa : {some, *LengthBetween(2, std::nullopt, budget),
                          *LengthBetween(0, 5, budget), *LengthBetween(4, 4, budget)}) {
    CHECK(*Minimize(dfa, budget) == dfa);
  }
  CHECK(*Repeat(OneOf(CharSet::All()), 2, 3, budget) == some);
}

TEST_CASE("a language is empty when no acceptance can be reached, minimal or not") {
  CHECK(IsEmpty(NoText()));
  CHECK(!IsEmpty(EmptyText()));
  Dfa unreachable;
  unreachable.states = {{{{'a', 'z', 0}}, false}, {{}, true}};
  CHECK(IsEmpty(unreachable));
  Budget budget(kLimits);
  CHECK(*Minimize(unreachable, budget) == NoText());
}

TEST_CASE("members come by length, then by code points") {
  const std::vector<std::string> words{"b", "aa", "", "ab", "a", "\xC3\xA9"};
  const auto members = Members(Words(words), 6);
  REQUIRE(members.has_value());
  CHECK(*members == std::vector<std::u32string>{U"", U"a", U"b", U"\u00E9", U"aa", U"ab"});
  CHECK(!Members(Words(words), 5).has_value());
  CHECK(Members(NoText(), 0)->empty());
  CHECK(!Members(EmptyText(), 0).has_value());
}

TEST_CASE("infinite and huge languages have no list of members") {
  Budget budget(kLimits);
  CHECK(!Members(AnyText(), 1000).has_value());
  CHECK(!Members(OneOf(CharSet::All()), 1000).has_value());
  const Dfa bits = *Repeat(OneOf(CharSet{{U'0', U'1'}}), 64, 64, budget);
  CHECK(!Members(bits, 1'000'000).has_value());
  CHECK(Members(*Repeat(OneOf(CharSet{{U'0', U'1'}}), 0, 3, budget), 15)->size() == 15);
  // A cycle from which nothing is accepted does not make a language infinite.
  Dfa dead_cycle;
  dead_cycle.states = {
      {{{'a', 'a', 1}, {'b', 'b', 2}}, false}, {{{'a', 'a', 1}}, false}, {{}, true}};
  CHECK(Members(dead_cycle, 1)->size() == 1);
}

}  // namespace
}  // namespace sglrun::grammar
