#include "grammar/matcher/matcher.h"

#include <doctest/doctest.h>

#include "compile.h"
#include "grammar/compile/constraint.h"
#include "random_grammar.h"
#include "reference_matcher.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

std::shared_ptr<const Vocabulary> SomeVocabulary(Random& random) {
  return std::make_shared<const Vocabulary>(RandomVocabulary(random, 500), 520);
}

bool Bit(const std::vector<std::uint32_t>& words, std::int32_t id) {
  return (words[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0;
}

std::vector<std::int32_t> IdsOf(const std::vector<std::uint32_t>& words) {
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(words.size()) * 32; ++id) {
    if (Bit(words, id)) ids.push_back(id);
  }
  return ids;
}

std::vector<std::uint32_t> Fast(Matcher& matcher, const Vocabulary& vocabulary) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary.words_per_mask()), ~0u);
  matcher.FillMask(words);
  return words;
}
std::vector<std::uint32_t> Slow(const Matcher& matcher, const Vocabulary& vocabulary) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary.words_per_mask()), ~0u);
  matcher.FillMaskSlowly(words);
  return words;
}

// What the reference says of one token after `so_far`.
bool MayFollow(const Grammar& grammar, const Symbols& so_far, std::int32_t id,
               const Vocabulary& vocabulary) {
  if (!vocabulary.IsToken(id)) return false;
  Symbols as_token = so_far;
  as_token.push_back(kFirstTokenSymbol + id);
  if (IsPrefix(grammar, as_token)) return true;
  Symbols as_text = so_far;
  for (const char c : vocabulary.Text(id)) as_text.push_back(static_cast<unsigned char>(c));
  return as_text.size() > so_far.size() && IsPrefix(grammar, as_text);
}

// Walks a few tokens into each grammar, chosen among those allowed.
template <class Check>
void WalkRandomGrammars(int first_seed, int last_seed, bool tokens, Check check) {
  for (int seed = first_seed; seed < last_seed; ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const auto vocabulary = SomeVocabulary(random);
    const Grammar grammar =
        RandomGrammar(random, {.rules = 1 + seed % 5, .depth = 1 + seed % 4, .tokens = tokens});
    const auto compiled = Compile(grammar);
    if (!compiled.ok()) continue;
    Matcher matcher(*compiled, vocabulary);
    for (int step = 0; step < 8; ++step) {
      CAPTURE(step);
      const std::vector<std::uint32_t> words = Slow(matcher, *vocabulary);
      check(grammar, matcher, *vocabulary, words, random);
      const std::vector<std::int32_t> ids = IdsOf(words);
      if (ids.empty()) break;
      REQUIRE(matcher.AcceptToken(
          ids[static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())))]));
    }
  }
}

// The tokens of the fast mask that trying every token refuses, but for those whose trial takes more
// steps than one token may: a walk that shares its steps need not see that.
std::vector<std::int32_t> WrongIds(const Matcher& matcher, const std::vector<std::uint32_t>& fast,
                                   const std::vector<std::uint32_t>& slow) {
  std::vector<std::int32_t> wrong;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(fast.size()) * 32; ++id) {
    if (Bit(fast, id) == Bit(slow, id)) continue;
    Matcher trial = matcher;
    if (trial.AcceptToken(id) || !trial.failure()) wrong.push_back(id);
  }
  return wrong;
}

TEST_CASE("the mask of every place is what trying every token gives") {
  int masks = 0, bits = 0;
  for (const bool tokens : {false, true}) {
    WalkRandomGrammars(0, Rounds(250), tokens,
                       [&](const Grammar&, Matcher& matcher, const Vocabulary& vocabulary,
                           const std::vector<std::uint32_t>& slow, Random&) {
                         const std::vector<std::uint32_t> fast = Fast(matcher, vocabulary);
                         CHECK(WrongIds(matcher, fast, slow).empty());
                         CHECK(Fast(matcher, vocabulary) == fast);  // from the cache
                         ++masks;
                         bits += static_cast<int>(IdsOf(slow).size());
                       });
  }
  CHECK(masks > Rounds(1000));
  CHECK(bits > Rounds(10'000));
}

TEST_CASE("the mask at the start is what the reference says of every token") {
  for (const bool tokens : {false, true}) {
    for (int seed = 0; seed < Rounds(200); ++seed) {
      CAPTURE(seed);
      Random random(static_cast<std::uint64_t>(seed));
      const auto vocabulary = SomeVocabulary(random);
      const Grammar grammar =
          RandomGrammar(random, {.rules = 1 + seed % 4, .depth = 1 + seed % 3, .tokens = tokens});
      const auto compiled = Compile(grammar);
      if (!compiled.ok()) continue;
      Matcher matcher(*compiled, vocabulary);
      const std::vector<std::uint32_t> words = Fast(matcher, *vocabulary);
      for (std::int32_t id = 0; id < vocabulary->logit_width(); ++id) {
        // Most tokens start with a byte that is not allowed; look at all others.
        if (!Bit(words, id) && Pick(random, 4) != 0) continue;
        CAPTURE(id);
        CHECK(Bit(words, id) == MayFollow(grammar, {}, id, *vocabulary));
      }
    }
  }
}

// Words that the patterns below look for, whole and in pieces, after and before other letters.
std::shared_ptr<const Vocabulary> WordyVocabulary(Random& random) {
  const std::vector<std::string> pieces = {"git", "hub", "hip",  "chat", "g",  "i", "t", "h",
                                           "u",   "b",   "a",    "x",    "yz", " ", "q", "\"",
                                           "\\",  ".",   "\xC3", "\xA9", "7",  "-", ",", "lo"};
  std::vector<std::string> texts = pieces;
  while (texts.size() < 3000) {
    std::string text;
    for (int n = 1 + Pick(random, 7); n > 0; --n) {
      text += pieces[static_cast<std::size_t>(Pick(random, static_cast<int>(pieces.size())))];
    }
    texts.push_back(text);
  }
  return std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
}

TEST_CASE("tokens that a walk passes over by their bytes and lengths are judged like all others") {
  const std::vector<Constraint> constraints = {
      {ConstraintKind::kRegex, "[^\"]*(github|hipchat)[^\"]*\"x"},
      {ConstraintKind::kRegex, "[a-z]{3,20}\\.|[^\"]{9}q"},
      {ConstraintKind::kRegex, "([a-z ]{0,6}[,.])*-"},
      {ConstraintKind::kRegex, "(.|\\n){0,30}"},
      {ConstraintKind::kRegex, "([^a7\"]|a[^x\"]|7[^.\"])*\""},
      {ConstraintKind::kJsonSchema,
       R"({"patternProperties":{".*":{"type":"null"},"github":{"type":"integer"}}})"},
      {ConstraintKind::kJsonSchema,
       R"({"type":"string","pattern":"hub.{4}","minLength":3,"maxLength":25})"}};
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    CAPTURE(c);
    Random random(c);
    const auto vocabulary = WordyVocabulary(random);
    const auto compiled = CompileConstraint(constraints[c], {}, vocabulary);
    REQUIRE(compiled.ok());
    Matcher matcher(compiled->grammar, vocabulary);
    if (constraints[c].kind == ConstraintKind::kJsonSchema) {
      const std::string_view start = c == 5 ? "{\"" : "\"";
      REQUIRE(matcher.AcceptBytes(start) == start.size());
    }
    for (int step = 0; step < 6; ++step) {
      CAPTURE(step);
      const std::vector<std::uint32_t> fast = Fast(matcher, *vocabulary);
      CHECK(fast == Slow(matcher, *vocabulary));
      const std::vector<std::int32_t> ids = IdsOf(fast);
      REQUIRE((step > 0 || !ids.empty()));
      if (ids.empty()) break;
      REQUIRE(matcher.AcceptToken(
          ids[static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())))]));
    }
  }
}

// A grammar whose texts can be read in about so many ways at once: rules that take nearly any
// character, rules that begin with a word, and some that begin with others.
std::string ManyReadings(Random& random, int rules) {
  const std::vector<std::string> words = {"git", "hub", "hip", "chat", "yz", "a7", "lo"};
  const auto word = [&] {
    return '"' + words[static_cast<std::size_t>(Pick(random, static_cast<int>(words.size())))] +
           '"';
  };
  const auto rule = [&] { return "r" + std::to_string(Pick(random, rules)); };
  std::string text = "root ::= r0";
  for (int i = 1; i < rules; ++i) text += " | r" + std::to_string(i);
  for (int i = 0; i < rules; ++i) {
    text += "\nr" + std::to_string(i) + " ::= ";
    switch (Pick(random, 6)) {
      case 0:
        text += "[^\"" + std::string(1, static_cast<char>('a' + Pick(random, 26))) + "]* " + word();
        break;
      case 1:
        text += "[^x]{" + std::to_string(Pick(random, 4)) + ",30} " + word() + " [.,]";
        break;
      case 2:
        text += word() + " [a-z ]* (\"-\" " + rule() + ")?";
        break;
      case 3:
        text += word() + " " + word() + " | <[" + std::to_string(Pick(random, 3000)) + "]> root";
        break;
      case 4:
        text += "([^q\"] " + word() + "){1,9} \".\"";
        break;
      default:
        text += rule() + " \",\" " + rule();
    }
  }
  return text + '\n';
}

TEST_CASE("the mask of an ambiguous text is what trying every token gives") {
  int masks = 0;
  for (int seed = 0; seed < Rounds(24); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const auto vocabulary = WordyVocabulary(random);
    const std::vector<int> sizes = {4, 12, 40, 90};
    const std::string ebnf = ManyReadings(random, sizes[static_cast<std::size_t>(seed) % 4]);
    CAPTURE(ebnf);
    const auto compiled = CompileConstraint({ConstraintKind::kEbnf, ebnf}, {}, vocabulary);
    if (!compiled.ok()) continue;
    Matcher matcher(compiled->grammar, vocabulary);
    for (int step = 0; step < 5; ++step) {
      CAPTURE(step);
      const std::vector<std::uint32_t> slow = Slow(matcher, *vocabulary);
      CHECK(WrongIds(matcher, Fast(matcher, *vocabulary), slow).empty());
      ++masks;
      const std::vector<std::int32_t> ids = IdsOf(slow);
      if (ids.empty()) break;
      REQUIRE(matcher.AcceptToken(
          ids[static_cast<std::size_t>(Pick(random, static_cast<int>(ids.size())))]));
    }
  }
  CHECK(masks > Rounds(60));
}

TEST_CASE(
    "a counted item that ends with a call to another machine loops over itself, not the other") {
  std::vector<std::string> words;
  for (int i = 0; i < 40; ++i) words.push_back("\"w" + std::to_string(i) + "\"");
  Grammar g;
  std::vector<ExprId> items;
  for (const std::string& word : words) items.push_back(g.Bytes(word));
  const ExprId item = g.Sequence({g.Bytes(", "), g.Choice(items)});
  const RuleId root = g.AddRule("root");
  g.Define(root, g.Sequence({g.Choice(items), g.Repeat(item, 0, 90), g.Bytes("]")}));
  g.SetRoot(root);
  const auto vocabulary = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"\"w", "1", "7", "\",", "\"", " \"w", "\"]", "\", \"w3", ", ", "]"},
      10);
  const auto compiled = Compile(g);
  REQUIRE(compiled.ok());
  Matcher matcher(*compiled, vocabulary);
  for (const std::int32_t id : {0, 1, 3, 5, 2, 7, 3, 5, 1, 6}) {
    CAPTURE(id);
    const std::vector<std::uint32_t> fast = Fast(matcher, *vocabulary);
    CHECK(fast == Slow(matcher, *vocabulary));
    CHECK(Bit(fast, id));
    REQUIRE(matcher.AcceptToken(id));
  }
  CHECK(matcher.IsComplete());
}

}  // namespace
}  // namespace sglrun::grammar
