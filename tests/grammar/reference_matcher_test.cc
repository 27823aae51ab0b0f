#include "reference_matcher.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

TEST_CASE("the reference counts parentheses and knows which prefixes can be closed") {
  Grammar g;
  const RuleId list = g.AddRule("list");
  g.Define(list, g.Sequence({g.Bytes("("), g.Repeat(g.Call(list), 0, kUnbounded), g.Bytes(")")}));
  g.SetRoot(list);
  CHECK(IsMember(g, "(()())"));
  CHECK(!IsMember(g, "(()"));
  CHECK(IsPrefix(g, "(()"));
  CHECK(!IsPrefix(g, "())"));
  CHECK(!IsMember(g, ""));
}

TEST_CASE("the reference solves left recursion, rules without an end, and empty loops") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  const RuleId endless = g.AddRule("endless");
  g.Define(endless, g.Sequence({g.Bytes("x"), g.Call(endless)}));
  g.Define(root, g.Choice({g.Sequence({g.Call(root), g.Bytes("a")}), g.Bytes("a"),
                           g.Sequence({g.Bytes("b"), g.Call(endless)}),
                           g.Repeat(g.Repeat(g.Optional(g.Bytes("c")), 0, kUnbounded), 2, 5)}));
  g.SetRoot(root);
  CHECK(IsMember(g, "aaaa"));
  CHECK(IsMember(g, "cccccccca"));
  CHECK(IsMember(g, ""));
  CHECK(!IsPrefix(g, "b"));
  CHECK(!IsPrefix(g, "ac"));
}

TEST_CASE("the reference cuts characters anywhere between their bytes") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.Define(root, g.Repeat(g.Chars(CharSet{{U'a', U'b'}, {0x20AC, 0x20AD}, {0xE000, 0x1F600}}), 2,
                          1'000'000));
  g.SetRoot(root);
  CHECK(IsMember(g, "a\xE2\x82\xAC"));
  CHECK(IsPrefix(g, "a\xE2\x82"));
  CHECK(!IsPrefix(g, "a\xE2\x83"));
  CHECK(!IsPrefix(g, "a\xED"));
  CHECK(IsPrefix(g, "a\xF0\x9F"));
  CHECK(!IsPrefix(g, "a\xF0\x80"));
  CHECK(!IsMember(g, "a"));
}

TEST_CASE("the reference takes tokens only where a token element stands") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.Define(root, g.Sequence({g.Bytes("a"), g.Tokens({7}, false), g.Tokens({7}, true)}));
  g.SetRoot(root);
  CHECK(IsMember(g, Symbols{'a', kFirstTokenSymbol + 7, kFirstTokenSymbol + 8}));
  CHECK(!IsPrefix(g, Symbols{'a', kFirstTokenSymbol + 7, kFirstTokenSymbol + 7}));
  CHECK(!IsPrefix(g, Symbols{'a', 'a'}));
}

}  // namespace
}  // namespace sglrun::grammar
