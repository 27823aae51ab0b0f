#include "grammar/matcher/machine.h"

#include <doctest/doctest.h>

#include "grammar/matcher/left_recursion.h"
#include "grammar/matcher/sketch.h"

namespace sglrun::grammar {
namespace {

std::string Dump(const Grammar& grammar) {
  const Limits limits;
  Budget budget(limits);
  const auto facts = ExprFacts::Of(grammar, budget);
  REQUIRE(facts.ok());
  auto machines = BuildMachines(grammar, *facts, budget);
  REQUIRE(machines.ok());
  REQUIRE(RemoveLeftRecursion(*machines, budget).ok());
  return ToString(*machines);
}

TEST_CASE("left recursion becomes a loop behind what it begins with") {
  Grammar g;
  const RuleId list = g.AddRule("list");
  g.Define(list, g.Choice({g.Sequence({g.Call(list), g.Bytes(",a")}), g.Bytes("a")}));
  CHECK(Dump(g) ==
        "root 0\n"
        "machine 0\n"
        "  0  a -> 1\n"
        "  1 accepts  , -> 2\n"
        "  2  a -> 1\n");
}

TEST_CASE(
    "large bounds count, equal rules are one machine, and what may be empty has a way around") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  const RuleId one = g.AddRule("one");
  const RuleId other = g.AddRule("other");
  for (const RuleId rule : {one, other}) {
    const ExprId inner = g.Choice({g.Empty(), g.Call(rule)});
    g.Define(rule, g.Sequence({g.Bytes("("), inner, g.Bytes(")")}));
  }
  g.Define(root, g.Sequence({g.Repeat(g.Call(one), 0, 70), g.Call(other)}));
  CHECK(Dump(g) ==
        "root 0\n"
        "machine 0\n"
        "  0  call 1 -> 1  count 1{1,70} -> 2\n"
        "  1 accepts\n"
        "  2  call 1 -> 1\n"
        "machine 1\n"
        "  0  ( -> 1\n"
        "  1  ) -> 2  call 1 -> 3\n"
        "  2 accepts\n"
        "  3  ) -> 2\n");
}

}  // namespace
}  // namespace sglrun::grammar
