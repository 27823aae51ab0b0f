// Random walks through a grammar, for --random-masks and --sample.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar_tools {

struct MaskComparison {
  std::int64_t compared = 0;
  std::int64_t wrong = 0;
};
// Compares `count` masks on random walks from `start` with those of the slow reference.
MaskComparison CompareRandomMasks(const grammar::Matcher& start,
                                  const grammar::Vocabulary& vocabulary, std::int64_t count,
                                  std::uint64_t seed);

// Up to `count` random members that are valid UTF-8: steps are uniform over the allowed tokens and
// prefer an end more and more as the text grows. Fewer if members are too long.
std::vector<std::string> SampleMembers(const grammar::Matcher& start,
                                       const grammar::Vocabulary& vocabulary, std::int64_t count,
                                       std::uint64_t seed);

// A token for every byte, for walks without a tokenizer.
std::shared_ptr<const grammar::Vocabulary> ByteVocabulary();

}  // namespace sglrun::grammar_tools
