// Every way in which rules may recurse, loop over nothing, or count.
#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>

#include "compile.h"
#include "reference_matcher.h"

namespace sglrun::grammar {
namespace {

std::shared_ptr<const Vocabulary> Bytes() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<const Vocabulary>(texts, 256);
}

Matcher Start(const Grammar& grammar, const Limits& limits = {}) {
  const auto compiled = Compile(grammar, limits);
  REQUIRE(compiled.ok());
  return Matcher(*compiled, Bytes());
}

// All texts over `letters` up to a length, against the reference.
void CompareAll(const Grammar& grammar, std::string_view letters, std::size_t longest) {
  const Matcher start = Start(grammar);
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i];
    CAPTURE(text);
    Matcher matcher = start;
    const bool taken = matcher.AcceptBytes(text) == text.size();
    CHECK(taken == IsPrefix(grammar, text));
    CHECK((taken && matcher.IsComplete()) == IsMember(grammar, text));
    if (!taken || text.size() == longest) continue;
    for (const char letter : letters) texts.push_back(text + letter);
  }
}

Verdict Refused(const Grammar& grammar, const Limits& limits = {}) {
  const auto compiled = Compile(grammar, limits);
  REQUIRE(!compiled.ok());
  return compiled.error().verdict;
}

TEST_CASE("a rule that is only itself, or never ends, matches nothing") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.Define(root, g.Call(root));
  CHECK(Refused(g) == Verdict::kUnsatisfiable);
  g.Define(root, g.Sequence({g.Bytes("a"), g.Call(root)}));
  CHECK(Refused(g) == Verdict::kUnsatisfiable);
  g.Define(root, g.Repeat(g.Never(), 1, kUnbounded));
  CHECK(Refused(g) == Verdict::kUnsatisfiable);
  g.Define(root, g.Tokens({}, false));
  CHECK(Refused(g) == Verdict::kUnsatisfiable);
}

TEST_CASE("left recursion: direct, mutual, through empty rules, and through counts") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  const RuleId other = g.AddRule("other");
  const RuleId nothing = g.AddRule("nothing");
  g.SetRoot(root);
  g.Define(nothing, g.Optional(g.Bytes("c")));

  g.Define(root, g.Choice({g.Sequence({g.Call(root), g.Bytes("a")}), g.Bytes("a")}));
  CompareAll(g, "ab", 6);

  g.Define(root, g.Choice({g.Sequence({g.Call(other), g.Bytes("a")}), g.Bytes("b")}));
  g.Define(other, g.Choice({g.Sequence({g.Call(root), g.Bytes("b")}), g.Call(root), g.Bytes("c")}));
  CompareAll(g, "abc", 6);

  g.Define(root,
           g.Choice({g.Sequence({g.Call(nothing), g.Call(root), g.Bytes("a")}), g.Bytes("b")}));
  CompareAll(g, "abc", 6);

  g.Define(root,
           g.Choice({g.Sequence({g.Repeat(g.Call(root), 2, 3), g.Bytes("a")}), g.Bytes("b")}));
  CompareAll(g, "ab", 9);

  g.Define(root,
           g.Choice({g.Sequence({g.Repeat(g.Call(root), 2, 40), g.Bytes("a")}), g.Bytes("b")}));
  CompareAll(g, "ab", 9);
}

TEST_CASE("ambiguous recursion from both sides") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Choice({g.Sequence({g.Call(root), g.Call(root)}), g.Bytes("a"), g.Empty(),
                           g.Sequence({g.Bytes("("), g.Call(root), g.Bytes(")")})}));
  CompareAll(g, "a()", 6);
}

TEST_CASE("ambiguous rules are no slower for long texts") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const auto accepts = [&](std::string_view text) {
    Matcher matcher = Start(g);
    for (const char c : text) {
      if (!matcher.AcceptToken(static_cast<unsigned char>(c))) return false;
    }
    return matcher.IsComplete();
  };
  std::string text(5'000, 'a');
  g.Define(root, g.Choice({g.Sequence({g.Call(root), g.Call(root)}), g.Bytes("a")}));
  CHECK(accepts(text));
  CompareAll(g, "a", 6);
  // e ::= e "+" e | e "*" e | "(" e ")" | [a-c]{1,}
  const ExprId e = g.Call(root);
  g.Define(root, g.Choice({g.Sequence({e, g.Bytes("+"), e}), g.Sequence({e, g.Bytes("*"), e}),
                           g.Sequence({g.Bytes("("), e, g.Bytes(")")}),
                           g.Repeat(g.Chars(CharSet{{'a', 'c'}}), 1, kUnbounded)}));
  text = "aa";
  for (int i = 0; i < 1'000; ++i) text += i % 3 == 0 ? "*(b)" : "+c";
  CHECK(accepts(text));
  CHECK(!accepts(text + "+"));
  CompareAll(g, "a+()", 6);
}

TEST_CASE("a rule that ends with itself but need not go on alike keeps its texts") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const ExprId self = g.Call(root);
  // "b" may not be followed by anything, "a" by members.
  g.Define(root,
           g.Choice({g.Sequence({g.Bytes("a"), g.Repeat(self, 0, kUnbounded)}), g.Bytes("b")}));
  CompareAll(g, "ab", 7);
  g.Define(root, g.Choice({g.Sequence({self, self, self}), g.Bytes("a"),
                           g.Sequence({g.Bytes("b"), self, g.Bytes("c")})}));
  CompareAll(g, "abc", 6);
  g.Define(root, g.Choice({g.Sequence({g.Bytes("a"), self}), g.Sequence({g.Bytes("b"), self, self}),
                           g.Bytes("c")}));
  CompareAll(g, "abc", 6);
}

TEST_CASE("loops over nothing end") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Repeat(g.Empty(), 0, kUnbounded));
  CompareAll(g, "a", 1);
  // (("a"?)*)+ "b"
  const ExprId inner = g.Repeat(g.Optional(g.Bytes("a")), 0, kUnbounded);
  g.Define(root, g.Sequence({g.Repeat(inner, 1, kUnbounded), g.Bytes("b")}));
  CompareAll(g, "ab", 5);
  g.Define(root, g.Repeat(g.Optional(g.Bytes("a")), 3, 1'000'000));
  CompareAll(g, "ab", 5);
  g.Define(root, g.Repeat(g.Optional(g.Bytes("ab")), 50, 60));
  CompareAll(g, "ab", 5);
}

TEST_CASE("counts are exact at their bounds, without copies") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Sequence({g.Repeat(g.Chars(CharSet::All()), 70'000, 100'000), g.Bytes(".")}));
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  CHECK((*compiled)->MemoryBytes() < 20'000);
  Matcher matcher(*compiled, Bytes());
  std::string text;
  for (int i = 0; i < 69'999; ++i) text += "\xC3\xA9";
  CHECK(matcher.AcceptBytes(text) == text.size());
  Matcher shorter = matcher;
  CHECK(shorter.AcceptBytes(".") == 1);  // as the last character
  CHECK(!shorter.IsComplete());
  CHECK(shorter.AcceptBytes(".") == 1);
  CHECK(shorter.IsComplete());
  text.resize(2 * 30'001);
  CHECK(matcher.AcceptBytes(text) == text.size());
  CHECK(matcher.AcceptBytes("\xC3") == 0);
  CHECK(matcher.AcceptBytes(".") == 1);
  CHECK(matcher.IsComplete());
}

TEST_CASE("counts inside counts have few readings, and exact bounds") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const ExprId letters = g.Repeat(g.Chars(CharSet{{'a', 'z'}}), 1, 50);
  const ExprId word = g.Sequence({letters, g.Optional(g.Bytes(" "))});
  g.Define(root, g.Repeat(word, 1, 50));
  Limits few;
  few.steps_per_token = 60;
  Matcher matcher = Start(g, few);
  for (int i = 0; i < 2'000; ++i) REQUIRE(matcher.AcceptToken('a'));

  const ExprId letter = g.Chars(CharSet{{'a', 'z'}});
  g.Define(root, g.Repeat(g.Sequence({g.Repeat(letter, 2, 6), g.Optional(g.Bytes(" "))}), 3, 5));
  CompareAll(g, "a ", 10);
  g.Define(root, g.Sequence({g.Repeat(g.Repeat(letter, 6, 7), 2, 3), g.Bytes(".")}));
  const auto accepts = [&](std::size_t count) {
    Matcher at = Start(g);
    return at.AcceptBytes(std::string(count, 'a') + ".") == count + 1;
  };
  for (std::size_t count = 0; count < 30; ++count) {
    CAPTURE(count);
    CHECK(accepts(count) == ((count >= 12 && count <= 14) || (count >= 18 && count <= 21)));
  }
}

TEST_CASE("counts inside recursion belong to their own level") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const ExprId item = g.Choice({g.Bytes("a"), g.Call(root)});
  g.Define(root, g.Sequence({g.Bytes("("), g.Repeat(item, 2, 50), g.Bytes(")")}));
  CompareAll(g, "a()", 8);
  g.Define(
      root,
      g.Sequence(
          {g.Bytes("("),
           g.Repeat(g.Choice({g.Bytes("aaaaaaaaaaaaaaaaaaaa"), g.Call(root), g.Bytes("b")}), 2, 3),
           g.Bytes(")")}));
  CompareAll(g, "b()", 9);
}

TEST_CASE("ambiguous items of a count keep every number of rounds") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  const ExprId item = g.Choice({g.Bytes("a"), g.Bytes("aa"), g.Bytes("aaaaaaaaaaaaaaaaaa")});
  g.Define(root, g.Sequence({g.Repeat(item, 3, 9), g.Bytes("b")}));
  const Matcher start = Start(g);
  for (int length = 0; length < 200; ++length) {
    CAPTURE(length);
    Matcher matcher = start;
    const std::string text = std::string(static_cast<std::size_t>(length), 'a') + "b";
    const std::size_t taken = matcher.AcceptBytes(text);
    CHECK((taken == text.size()) == IsMember(g, text));
  }
}

TEST_CASE("deep nesting, long chains of rules, and right recursion stay cheap") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Choice({g.Sequence({g.Bytes("a"), g.Call(root)}), g.Bytes("b")}));
  Matcher right = Start(g);
  CHECK(right.AcceptBytes(std::string(100'000, 'a') + "b") == 100'001);
  CHECK(right.IsComplete());

  g.Define(root, g.Choice({g.Sequence({g.Bytes("("), g.Call(root), g.Bytes(")")}), g.Empty()}));
  Matcher nested = Start(g);
  CHECK(nested.AcceptBytes(std::string(20'000, '(') + std::string(20'000, ')')) == 40'000);
  CHECK(nested.IsComplete());

  ExprId deep = g.Bytes("x");
  for (int i = 0; i < 5'000; ++i) deep = g.Choice({g.Sequence({g.Bytes("["), deep}), g.Empty()});
  g.Define(root, deep);
  Matcher built = Start(g);
  CHECK(built.AcceptBytes(std::string(5'000, '[') + "x") == 5'001);

  Grammar chain;
  for (int i = 0; i < 400; ++i) chain.AddRule("r" + std::to_string(i));
  for (int i = 0; i < 400; ++i) {
    const ExprId next = i + 1 < 400 ? chain.Call(i + 1) : chain.Bytes("z");
    chain.Define(i, chain.Sequence({next, chain.Optional(chain.Bytes("y"))}));
  }
  Matcher chained = Start(chain);
  CHECK(chained.AcceptBytes("z" + std::string(50, 'y')) == 51);
  CHECK(chained.IsComplete());
}

TEST_CASE("bytes that cannot lead to a complete text are never accepted") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  const RuleId endless = g.AddRule("endless");
  g.SetRoot(root);
  g.Define(endless, g.Sequence({g.Bytes("x"), g.Call(endless)}));
  g.Define(root, g.Choice({g.Sequence({g.Bytes("ab"), g.Call(endless)}), g.Bytes("ac"),
                           g.Sequence({g.Bytes("d"), g.Repeat(g.Call(endless), 0, 5)})}));
  Matcher matcher = Start(g);
  CHECK(matcher.AcceptBytes("ab") == 1);
  CHECK(matcher.AcceptBytes("c") == 1);
  CHECK(!matcher.CanContinue());
  Matcher other = Start(g);
  CHECK(other.AcceptBytes("dx") == 1);
  CHECK(other.IsComplete());
}

TEST_CASE("limits are verdicts, not crashes") {
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.SetRoot(root);
  g.Define(root, g.Choice({g.Sequence({g.Bytes("a"), g.Call(root), g.Optional(g.Bytes("b"))}),
                           g.Empty()}));
  Limits limits;
  limits.frontier_items = 50;
  Matcher matcher = Start(g, limits);
  CHECK(matcher.AcceptBytes(std::string(1'000, 'a')) < 1'000);
  REQUIRE(matcher.failure().has_value());
  CHECK(matcher.failure()->verdict == Verdict::kTooLarge);
  CHECK(!matcher.AcceptToken('a'));

  limits = {};
  limits.nodes = 100;
  g.Define(root, g.Bytes(std::string(500, 'x')));
  CHECK(Refused(g, limits) == Verdict::kTooLarge);
}

}  // namespace
}  // namespace sglrun::grammar
