#include "grammar/automaton/dfa.h"

#include <doctest/doctest.h>

#include <map>

#include "automaton/helpers.h"
#include "grammar/automaton/nfa.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

const Limits kLimits;

Dfa RandomDfa(std::mt19937& random) {
  Budget budget(kLimits);
  return *Determinize(RandomNfa(random), budget);
}

// Moore's algorithm on the symbols that the tests use: how many states tell words apart, the state
// without a way to acceptance not counted.
std::size_t StatesNeeded(const Dfa& dfa) {
  const std::size_t count = dfa.states.size();
  std::vector<std::size_t> block(count + 1);  // the last one: no state
  for (std::size_t s = 0; s < count; ++s) block[s] = dfa.states[s].accepting;
  for (std::size_t blocks = 0;;) {
    std::map<std::vector<std::size_t>, std::size_t> by_signature;
    std::vector<std::size_t> next(count + 1);
    for (std::size_t s = 0; s <= count; ++s) {
      std::vector<std::size_t> signature{block[s]};
      for (const char32_t c : kAlphabet) {
        const std::int32_t to = s == count ? -1 : dfa.Next(static_cast<std::int32_t>(s), c);
        signature.push_back(block[to < 0 ? count : static_cast<std::size_t>(to)]);
      }
      next[s] = by_signature.emplace(std::move(signature), by_signature.size()).first->second;
    }
    block = next;
    if (by_signature.size() == blocks) return blocks - 1;
    blocks = by_signature.size();
  }
}

TEST_CASE(
    "a deterministic automaton accepts what the nondeterministic one does, with least states") {
  std::mt19937 random(1);
  const auto words = AllWords(4);
  for (int round = 0; round < Rounds(300); ++round) {
    Nfa nfa = RandomNfa(random);
    if (round % 4 == 0) {
      nfa.AcceptAnything(
          static_cast<Nfa::State>(random() % static_cast<unsigned>(nfa.state_count())));
    }
    Budget budget(kLimits);
    const auto dfa = Determinize(nfa, budget);
    REQUIRE(dfa.ok());
    for (std::size_t i = 0; i < words.size(); i += 1 + random() % 7) {
      REQUIRE(dfa->Accepts(words[i]) == Simulate(nfa, words[i]));
    }
    // Symbols outside kAlphabet could tell more states apart: the needed ones are a lower bound.
    REQUIRE(StatesNeeded(*dfa) <= dfa->states.size());
    REQUIRE(*Minimize(*dfa, budget) == *dfa);
  }
}

TEST_CASE("minimal automata have no two states that accept the same texts") {
  std::mt19937 random(2);
  for (int round = 0; round < Rounds(300); ++round) {
    Nfa nfa;
    const auto states = 2 + random() % 7;
    while (static_cast<std::uint32_t>(nfa.state_count()) < states) nfa.AddState();
    for (int i = 0; i < 20; ++i) {
      nfa.AddEdge(static_cast<Nfa::State>(random() % states),
                  static_cast<Nfa::State>(random() % states), CharSet::Of(kAlphabet[random() % 3]));
    }
    nfa.Accept(static_cast<Nfa::State>(random() % states));
    Budget budget(kLimits);
    const auto dfa = Determinize(nfa, budget);
    REQUIRE(dfa.ok());
    if (!dfa->states.empty()) REQUIRE(StatesNeeded(*dfa) == dfa->states.size());
  }
}

TEST_CASE("products agree with logic on every short text") {
  std::mt19937 random(3);
  const auto words = AllWords(3);
  for (int round = 0; round < Rounds(300); ++round) {
    const Dfa a = RandomDfa(random), b = RandomDfa(random);
    Budget budget(kLimits);
    const Dfa both = *Intersect(a, b, budget), either = *Unite(a, b, budget);
    const Dfa only = *Subtract(a, b, budget), other = *ComplementText(a, budget);
    for (const Word& word : words) {
      const bool in_a = a.Accepts(word), in_b = b.Accepts(word);
      REQUIRE(both.Accepts(word) == (in_a && in_b));
      REQUIRE(either.Accepts(word) == (in_a || in_b));
      REQUIRE(only.Accepts(word) == (in_a && !in_b));
      REQUIRE(other.Accepts(word) == !in_a);
    }
  }
}

TEST_CASE("equal languages have equal automata, however they were made") {
  std::mt19937 random(4);
  for (int round = 0; round < Rounds(200); ++round) {
    const Dfa a = RandomDfa(random), b = RandomDfa(random);
    Budget budget(kLimits);
    const auto complement = [&](const Dfa& x) { return *ComplementText(x, budget); };
    REQUIRE(complement(complement(a)) == a);
    REQUIRE(*Subtract(a, b, budget) == *Intersect(a, complement(b), budget));
    REQUIRE(*Unite(a, b, budget) == complement(*Intersect(complement(a), complement(b), budget)));
    REQUIRE(*Repeat(a, 2, 2, budget) == *Concatenate(a, a, budget));
    REQUIRE(*Repeat(a, 0, std::nullopt, budget) ==
            *Unite(EmptyText(), *Repeat(a, 1, std::nullopt, budget), budget));
    REQUIRE(IsEmpty(*Subtract(a, a, budget)));
    REQUIRE(IsEmpty(a) == a.states.empty());
  }
}

TEST_CASE("concatenation and repetition agree with cutting the text at every place") {
  std::mt19937 random(5);
  const auto words = AllWords(4);
  for (int round = 0; round < Rounds(60); ++round) {
    const Dfa a = RandomDfa(random), b = RandomDfa(random);
    Budget budget(kLimits);
    const Dfa chain = *Concatenate(a, b, budget);
    const std::int64_t min = random() % 3, max = min + random() % 3;
    const Dfa counted = *Repeat(a, min, max, budget), open = *Repeat(a, min, std::nullopt, budget);
    for (std::size_t i = 0; i < words.size(); i += 1 + random() % 3) {
      const Word& word = words[i];
      bool cut = false;
      // times[n]: the numbers of pieces into which the first n symbols fall, as bits; the highest
      // stands for "that many or more".
      std::vector<std::uint32_t> times{1};
      for (std::size_t n = 0; n <= word.size(); ++n) {
        cut |= a.Accepts(std::span(word).first(n)) && b.Accepts(std::span(word).subspan(n));
        if (n == 0) continue;
        times.push_back(0);
        for (std::size_t m = 0; m < n; ++m) {
          if (a.Accepts(std::span(word).subspan(m, n - m))) times[n] |= times[m] << 1;
        }
      }
      REQUIRE(chain.Accepts(word) == cut);
      const bool empty_piece = a.Accepts({});
      bool in_counted = false, in_open = false;
      for (std::int64_t n = 0; n <= 8; ++n) {
        if ((times[word.size()] >> n & 1) == 0) continue;
        const bool enough = n >= min || empty_piece;
        in_counted |= enough && n <= max;
        in_open |= enough;
      }
      REQUIRE(counted.Accepts(word) == in_counted);
      REQUIRE(open.Accepts(word) == in_open);
    }
  }
}

TEST_CASE("edges of results never hold surrogates") {
  Budget budget(kLimits);
  for (const Dfa& dfa : {*ComplementText(NoText(), budget), *ComplementText(EmptyText(), budget),
                         *Repeat(AnyText(), 3, 3, budget)}) {
    for (const Dfa::State& state : dfa.states) {
      for (const Dfa::Edge& edge : state.edges) {
        CHECK((edge.last <= 0xD7FF || edge.first >= 0xE000));
        CHECK(edge.last <= 0x10FFFF);
      }
    }
  }
}

TEST_CASE("a repetition that must be unrolled too far is too large") {
  Budget budget(kLimits);
  const Dfa pair = ExactText("ab");
  CHECK(Repeat(pair, 0, 1000, budget).ok());
  const auto result = Repeat(pair, 0, 1'000'000, budget);
  REQUIRE(!result.ok());
  CHECK(result.error().verdict == Verdict::kTooLarge);
  CHECK(Repeat(pair, 1'000'000'000'000, std::nullopt, budget).error().verdict ==
        Verdict::kTooLarge);
}

// (a|b)*a(a|b){n}: 2^n states.
Nfa Exponential(int n) {
  Nfa nfa;
  nfa.AddEdge(0, 0, 'a', 'b');
  Nfa::State last = nfa.AddState();
  nfa.AddEdge(0, last, 'a', 'a');
  for (int i = 0; i < n; ++i) {
    const Nfa::State next = nfa.AddState();
    nfa.AddEdge(last, next, 'a', 'b');
    last = next;
  }
  nfa.Accept(last);
  return nfa;
}

TEST_CASE("an automaton with too many states is refused") {
  Budget budget(kLimits);
  CHECK(Determinize(Exponential(10), budget)->states.size() == 2048);
  const auto result = Determinize(Exponential(30), budget);
  REQUIRE(!result.ok());
  CHECK(result.error().verdict == Verdict::kTooLarge);
}

TEST_CASE("a product of too many steps, and a compile of too many, are refused at the same step") {
  const Dfa a = *[] {
    Budget budget(kLimits);
    return Determinize(Exponential(9), budget);
  }();
  Budget enough(kLimits);
  REQUIRE(Intersect(a, a, enough).ok());
  const std::int64_t needed = enough.steps();
  CHECK(needed > 10'000);
  for (const std::int64_t steps : {needed, needed + 1}) {
    Limits limits;
    limits.product_steps = steps;
    Budget product(limits);
    const auto slow = Intersect(a, a, product);
    REQUIRE(slow.ok() == (steps > needed));
    if (!slow.ok()) {
      CHECK(slow.error().message ==
            "an intersection of texts takes more than " + std::to_string(steps) + " steps");
    }
  }
  // The steps of several products add up, those of short ones too.
  Limits limits;
  limits.compile_steps = 5'000;
  Budget compile(limits);
  int products = 0;
  while (Intersect(AnyText(), AnyText(), compile).ok()) ++products;
  CHECK(products > 10);
  CHECK(products < 5'000);
  CHECK(Intersect(AnyText(), AnyText(), compile).error().message ==
        "compiling takes more than 5000 steps (while an intersection of texts)");
}

TEST_CASE("bounding the length gives the product with an automaton that counts, state for state") {
  std::mt19937 random(5);
  int left = 0;
  for (int round = 0; round < Rounds(400); ++round) {
    Budget budget(kLimits);
    const Dfa dfa = RandomDfa(random);
    const auto min = static_cast<std::int64_t>(random() % 4);
    const auto max = min + static_cast<std::int64_t>(random() % 6);
    const Dfa bounded = *BoundLength(dfa, min, max, budget);
    REQUIRE(bounded == *Intersect(dfa, *LengthBetween(min, max, budget), budget));
    left += bounded.states.empty() ? 0 : 1;
    REQUIRE(*BoundLength(dfa, min, std::nullopt, budget) ==
            *Intersect(dfa, *LengthBetween(min, std::nullopt, budget), budget));
  }
  CHECK(left > Rounds(200));
}

TEST_CASE("a length bound that needs too many states is refused before they are built") {
  Budget budget(kLimits);
  // Which of the last ten characters were an a: a thousand states at every length.
  const Dfa window = *Determinize(Exponential(9), budget);
  const auto bounded = BoundLength(window, 0, 1'000'000'000, budget);
  REQUIRE(!bounded.ok());
  CHECK(bounded.error().message == "a bound on the length of texts needs more than 200000 states");
  CHECK(BoundLength(window, 5, 4, budget)->states.empty());
  CHECK(BoundLength(NoText(), 0, 4, budget)->states.empty());
}

TEST_CASE("the states of one product are limited") {
  Limits limits;
  limits.automaton_states = 50;
  Budget budget(limits);
  CHECK(LengthBetween(0, 49, budget).ok());
  CHECK(LengthBetween(0, 50, budget).error().verdict == Verdict::kTooLarge);
  const Dfa seven = *Repeat(*LengthBetween(7, 7, budget), 0, std::nullopt, budget);
  const Dfa five = *Repeat(*LengthBetween(5, 5, budget), 0, std::nullopt, budget);
  CHECK(Intersect(seven, five, budget)->states.size() == 35);
  const Dfa eleven = *Repeat(*LengthBetween(11, 11, budget), 0, std::nullopt, budget);
  CHECK(Intersect(seven, eleven, budget).error().message ==
        "an intersection of texts needs more than 50 states");
}

}  // namespace
}  // namespace sglrun::grammar
