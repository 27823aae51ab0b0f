#include "grammar/matcher/residual.h"

#include <doctest/doctest.h>

#include "compile.h"
#include "grammar/matcher/compiled_grammar.h"
#include "random_grammar.h"

namespace sglrun::grammar {
namespace {

const std::vector<std::string> kPieces = {"a",        "b",
                                          "c",        "d",
                                          " ",        "\"",
                                          ":",        ",",
                                          "1",        "\\n",
                                          "\\\"",     "\\",
                                          "u00",      "1F",
                                          "\xC3\xA9", "\xC3",
                                          "\xA9",     "\xE2\x82\xAC",
                                          "\xE2\x82", "\xF0\x9F\x98\x80",
                                          "\x01",     "}",
                                          "{"};

std::string RandomText(Random& random, int pieces) {
  std::string text;
  for (int n = 1 + Pick(random, pieces); n > 0; --n) {
    text += kPieces[static_cast<std::size_t>(Pick(random, static_cast<int>(kPieces.size())))];
  }
  return text;
}

std::shared_ptr<const Vocabulary> WideVocabulary(Random& random) {
  std::vector<std::string> texts = kPieces;
  while (texts.size() < 2500) texts.push_back(RandomText(random, 5));
  return std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
}

// Strings with `:1,` between them, each any but the given ones.
Grammar OtherStrings(const std::vector<std::string>& names) {
  const Limits limits;
  Budget budget(limits);
  Grammar g;
  const ExprId body = g.Regular(*ToJsonString(*Subtract(AnyText(), Words(names), budget), budget));
  const RuleId root = g.AddRule("root");
  const ExprId quote = g.Bytes("\"");
  const RuleId one = g.AddRule("one");  // called, not counted: counts have masks of another kind
  g.Define(one, g.Sequence({quote, body, quote}));
  const RuleId more = g.AddRule("more");
  g.Define(more, g.Choice({g.Bytes("}"), g.Sequence({g.Bytes(":1,"), g.Call(one), g.Call(more)})}));
  g.Define(root, g.Sequence({g.Bytes("{"), g.Call(one), g.Call(more)}));
  g.SetRoot(root);
  return g;
}

std::vector<std::string> RandomNames(Random& random) {
  const std::vector<std::string> letters = {"a", "b", "c", "\xC3\xA9", "\xE2\x82\xAC", "1"};
  std::vector<std::string> names;
  for (int n = 1 + Pick(random, 6); n > 0; --n) {
    std::string name;
    for (int i = Pick(random, 5); i > 0; --i) {
      name += letters[static_cast<std::size_t>(Pick(random, static_cast<int>(letters.size())))];
    }
    names.push_back(name);
  }
  return names;
}

TEST_CASE("masks found beside that of a hub are what trying every token gives") {
  Random random(11);
  const auto vocabulary = WideVocabulary(random);
  std::vector<std::uint32_t> fast(static_cast<std::size_t>(vocabulary->words_per_mask()));
  std::vector<std::uint32_t> slow = fast;
  int hubs = 0, masks = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    // The next grammar uses the masks of those before where it can.
    const auto compiled = Compile(OtherStrings(RandomNames(random)));
    REQUIRE(compiled.ok());
    const Program& program = (*compiled)->program();
    for (StateId s = 0; s + 1 < static_cast<StateId>(program.states.size()); ++s) {
      const auto hub = HubOf(program, s);
      if (hub && *hub != s && HashOfResidual(program, s)) ++hubs;
    }
    Matcher matcher(*compiled, vocabulary);
    for (int step = 0; step < 14; ++step) {
      matcher.FillMask(fast);
      matcher.FillMaskSlowly(slow);
      REQUIRE(fast == slow);
      ++masks;
      std::vector<std::int32_t> ids;
      for (std::int32_t id = 0; id < vocabulary->logit_width(); ++id) {
        // Short tokens keep to the names longer.
        const bool allowed = (fast[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0;
        if (allowed && (vocabulary->Text(id).size() <= 2 || ids.empty())) ids.push_back(id);
      }
      if (ids.empty()) break;
      const auto pick = static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())));
      REQUIRE(matcher.AcceptToken(ids[pick]));
    }
  }
  CHECK(hubs > 100);
  CHECK(masks > 400);
}

TEST_CASE("a state may end where its hub does not") {
  const Limits limits;
  Budget budget(limits);
  const Dfa run = *Repeat(OneOf(CharSet{{'0', 'z'}}), 1, std::nullopt, budget);
  const Dfa part = *Unite(ExactText("!"), *Concatenate(run, ExactText("?"), budget), budget);
  Grammar g;
  const RuleId root = g.AddRule("root"), call = g.AddRule("part");
  g.Define(call, g.Regular(*ToUtf8(part, budget)));
  g.Define(root, g.Sequence({g.Call(call), g.Bytes(","), g.Call(call), g.Bytes(",")}));
  g.SetRoot(root);
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  const std::vector<std::string> texts = {"!",  "!,",  "!,a",   "!,!", "!,!,", "!?",
                                          "a!", "a?,", "a?,!,", "a",   ",",    "?"};
  const auto vocabulary =
      std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
  std::vector<std::uint32_t> fast(1), slow(1);
  for (const std::vector<std::int32_t>& ids : {std::vector<std::int32_t>{0, 10, 9, 7}, {9, 7, 1}}) {
    Matcher matcher(*compiled, vocabulary);
    for (const std::int32_t id : ids) {
      matcher.FillMask(fast);
      matcher.FillMaskSlowly(slow);
      CHECK(fast == slow);
      REQUIRE(matcher.AcceptToken(id));
    }
    CHECK(matcher.IsComplete());
  }
}

TEST_CASE("the residual of a state depends only on what can follow it") {
  const auto first = Compile(OtherStrings({"abc"})), second = Compile(OtherStrings({"c", "abd"}));
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  const auto hub_hash = [](const Program& program) {
    std::optional<Hash128> hash;
    for (StateId s = 0; s + 1 < static_cast<StateId>(program.states.size()); ++s) {
      if (HubOf(program, s) == s) {
        const auto residual = HashOfResidual(program, s);
        if (residual) {
          CHECK((!hash || *hash == *residual));
          hash = residual;
        }
      }
    }
    REQUIRE(hash.has_value());
    return *hash;
  };
  CHECK(hub_hash((*first)->program()) == hub_hash((*second)->program()));
  // States that call have none; different languages differ.
  Grammar g;
  const RuleId root = g.AddRule("root");
  g.Define(root, g.Sequence({g.Bytes("a"), g.Repeat(g.Chars(CharSet{{'b', 'z'}}), 0, 90)}));
  g.SetRoot(root);
  const auto counted = Compile(g);
  REQUIRE(counted.ok());
  const Program& program = (*counted)->program();
  const StateId start = program.machines[static_cast<std::size_t>(program.root)].start;
  CHECK(!HashOfResidual(program, start));
  CHECK(!HubOf(program, start));
}

}  // namespace
}  // namespace sglrun::grammar
