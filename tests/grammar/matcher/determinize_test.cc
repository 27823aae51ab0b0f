// Random sketches against a plain simulation of them.
#include "grammar/matcher/determinize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "grammar/matcher/reduce.h"
#include "random_grammar.h"
#include "tests/rounds.h"

namespace sglrun::grammar {
namespace {

using States = std::set<std::int32_t>;

// The alphabet of these tests: a few bytes, two calls and a token element.
std::vector<Symbol> Letters() {
  std::vector<Symbol> letters;
  for (std::uint8_t byte = 'a'; byte <= 'd'; ++byte) letters.push_back(Symbol::Bytes(byte, byte));
  letters.push_back(Symbol::Of(Symbol::Kind::kCall, 3));
  letters.push_back(Symbol::Of(Symbol::Kind::kCall, 7));
  letters.push_back(Symbol::Of(Symbol::Kind::kTokens, 3));
  return letters;
}

bool Takes(const Symbol& edge, const Symbol& letter) {
  if (letter.kind != Symbol::Kind::kBytes) return edge == letter;
  return edge.kind == Symbol::Kind::kBytes && edge.first <= letter.first &&
         letter.first <= edge.last;
}

Sketch RandomSketch(Random& random) {
  Sketch sketch;
  sketch.AddStates(static_cast<std::size_t>(1 + Pick(random, 9)));
  const std::vector<Symbol> letters = Letters();
  const int edges = sketch.states * (1 + Pick(random, 3));
  for (int i = 0; i < edges; ++i) {
    Symbol symbol;
    const int kind = Pick(random, 4);
    if (kind == 0) {
      const auto first = static_cast<std::uint8_t>('a' + Pick(random, 4));
      symbol = Symbol::Bytes(first, static_cast<std::uint8_t>(first + Pick(random, 'e' - first)));
    } else if (kind < 3) {
      symbol = letters[static_cast<std::size_t>(Pick(random, static_cast<int>(letters.size())))];
    }
    sketch.AddEdge(Pick(random, sketch.states), symbol, Pick(random, sketch.states));
  }
  for (int i = 0; i < 2; ++i) sketch.accepting.push_back(Pick(random, sketch.states));
  return sketch;
}

void Close(const Sketch& sketch, States& states) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const Sketch::Edge& edge : sketch.edges) {
      if (edge.symbol.kind == Symbol::Kind::kNothing && states.contains(edge.from)) {
        grew |= states.insert(edge.to).second;
      }
    }
  }
}

States Step(const Sketch& sketch, const States& from, const Symbol& letter) {
  States to;
  for (const Sketch::Edge& edge : sketch.edges) {
    if (from.contains(edge.from) && Takes(edge.symbol, letter)) to.insert(edge.to);
  }
  Close(sketch, to);
  return to;
}

States Step(const Machine& machine, const States& from, const Symbol& letter) {
  States to;
  for (const std::int32_t state : from) {
    for (const Machine::Edge& edge : machine.EdgesOf(static_cast<std::size_t>(state))) {
      if (Takes(edge.symbol, letter)) to.insert(edge.target);
    }
  }
  return to;
}

// Walks both side by side over all texts up to a length.
void Compare(const Sketch& sketch, const States& in_sketch, const Machine& machine,
             const States& in_machine, int depth) {
  const auto accepts = [&](std::int32_t state) { return in_sketch.contains(state); };
  const bool wanted =
      depth > 0 && std::any_of(sketch.accepting.begin(), sketch.accepting.end(), accepts);
  bool found = false;
  for (const std::int32_t state : in_machine) {
    found |= machine.accepting[static_cast<std::size_t>(state)] != 0;
  }
  REQUIRE(found == wanted);
  if (depth == 5) return;
  for (const Symbol& letter : Letters()) {
    Compare(sketch, Step(sketch, in_sketch, letter), machine, Step(machine, in_machine, letter),
            depth + 1);
  }
}

// What a state spells in up to `depth` symbols, as a number that differs where the spelling does.
std::string Spells(const Machine& machine, std::int32_t state, int depth) {
  std::string out = machine.accepting[static_cast<std::size_t>(state)] != 0 ? "1" : "0";
  if (depth == 0) return out;
  for (const Symbol& letter : Letters()) {
    const States next = Step(machine, {state}, letter);
    out += next.empty() ? "-" : "(" + Spells(machine, *next.begin(), depth - 1) + ")";
  }
  return out;
}

TEST_CASE("machines spell what their sketches do, deterministic, and no two states say the same") {
  for (int seed = 0; seed < Rounds(400); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Sketch sketch = RandomSketch(random);
    const Limits limits;
    Budget budget(limits);
    const auto machine = Determinize(sketch, budget);
    REQUIRE(machine.ok());
    States start{0};
    Close(sketch, start);
    Compare(sketch, start, *machine, {0}, 0);
    for (std::size_t s = 0; s < machine->state_count(); ++s) {
      for (const Machine::Edge& edge : machine->EdgesOf(s)) CHECK(edge.target != 0);
      for (const Symbol& letter : Letters()) {
        CHECK(Step(*machine, {static_cast<std::int32_t>(s)}, letter).size() <= 1);
      }
    }
    if (machine->state_count() > 8) continue;  // a few symbols tell states of few apart
    std::set<std::string> spellings;
    for (std::size_t s = 1; s < machine->state_count(); ++s) {
      CHECK(spellings.insert(Spells(*machine, static_cast<std::int32_t>(s), 4)).second);
    }
  }
}

TEST_CASE("a sketch that needs too many states stays nondeterministic and spells the same") {
  // The twelfth symbol from the end is an a: 4096 states when deterministic.
  Sketch sketch;
  sketch.AddEdge(0, Symbol::Bytes('a', 'b'), 0);
  std::int32_t at = sketch.AddState();
  sketch.AddEdge(0, Symbol::Bytes('a', 'a'), at);
  for (int i = 0; i < 11; ++i) {
    const std::int32_t next = sketch.AddState();
    sketch.AddEdge(at, Symbol::Bytes('a', 'b'), next);
    at = next;
  }
  sketch.accepting.push_back(at);
  const Limits limits;
  Budget budget(limits);
  const auto machine = Determinize(sketch, budget);
  REQUIRE(machine.ok());
  CHECK(machine->state_count() < 20);
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    States states{0};
    std::string text;
    for (int n = 8 + Pick(random, 10); n > 0; --n) text += static_cast<char>('a' + Pick(random, 2));
    for (const char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      states = Step(*machine, states, Symbol::Bytes(byte, byte));
    }
    bool accepts = false;
    for (const std::int32_t s : states) {
      accepts |= machine->accepting[static_cast<std::size_t>(s)] != 0;
    }
    CHECK(accepts == (text.size() >= 12 && text[text.size() - 12] == 'a'));
  }
}

TEST_CASE("ranges that come to lead to one state are joined") {
  Sketch sketch;  // (a|b)c | [c-d]c, drawn apart
  const std::int32_t end = sketch.AddState();
  for (const auto& [first, last] : {std::pair{'a', 'a'}, {'b', 'b'}, {'c', 'd'}}) {
    const std::int32_t middle = sketch.AddState();
    sketch.AddEdge(0,
                   Symbol::Bytes(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)),
                   middle);
    sketch.AddEdge(middle, Symbol::Bytes('c', 'c'), end);
  }
  sketch.accepting.push_back(end);
  const Limits limits;
  Budget budget(limits);
  const auto machine = Determinize(sketch, budget);
  REQUIRE(machine.ok());
  REQUIRE(machine->state_count() == 3);
  REQUIRE(machine->EdgesOf(0).size() == 1);
  CHECK(machine->EdgesOf(0)[0] == Machine::Edge{Symbol::Bytes('a', 'd'), 1});
}

}  // namespace
}  // namespace sglrun::grammar
