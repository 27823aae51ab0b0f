// Random grammars and texts for comparing the matcher with the reference. A seed gives the same
// grammar everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

using Random = std::mt19937_64;

struct RandomGrammarOptions {
  int rules = 4;
  int depth = 3;
  bool tokens = false;  // token elements over the ids below `ids`
  std::int32_t ids = 500;
};

int Pick(Random& random, int below);  // uniform in [0, below)

Grammar RandomGrammar(Random& random, const RandomGrammarOptions& options = {});

// A member found by walking at random, "" when the walk got too long; and a text near `text`.
std::string RandomMember(const Grammar& grammar, Random& random);
std::string Mutate(std::string text, Random& random);

// Short texts over the bytes that random grammars use, single bytes included: some doubled, some
// empty (ids without text), some beyond them.
std::vector<std::string> RandomVocabulary(Random& random, int size);

}  // namespace sglrun::grammar
