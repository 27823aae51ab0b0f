// What every constraint must hold to, whatever its text says: a verdict with a sentence, or a
// grammar whose masks are what trying every token gives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "grammar/compile/constraint.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {

// Small enough for hundreds of texts a second.
inline GrammarOptions SmallOptions() {
  GrammarOptions options;
  options.limits.text_bytes = 20'000;
  options.limits.regex_bytes = 2'000;
  options.limits.nodes = 20'000;
  options.limits.automaton_states = 2'000;
  options.limits.expanded_states = 1'000;
  options.limits.repetition = 10'000;
  options.limits.product_steps = 2'000'000;
  options.limits.compile_steps = 10'000'000;
  return options;
}

// Pieces that schemas, tags and grammars are likely to need, and every byte.
inline std::shared_ptr<const Vocabulary> FuzzVocabulary() {
  std::vector<std::string> texts = {"",   "",   "{\"", "\":", "\", \"", "true", "null",
                                    "}}", "ab", "</",  "\\u", "12",     "  ",   "\xC3\xA9"};
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()) + 3);
}

// Walks along tokens that `seed` picks; at every place both masks agree, and so does taking a
// token.
inline void WalkMasks(Matcher matcher, const Vocabulary& vocabulary, std::uint64_t seed) {
  constexpr int kSteps = 6;
  std::vector<std::uint32_t> fast(static_cast<std::size_t>(vocabulary.words_per_mask())),
      slow = fast;
  for (int step = 0; step < kSteps; ++step) {
    const std::string forced = matcher.ForcedBytes();
    matcher.FillMaskSlowly(slow);
    matcher.FillMask(fast);
    if (matcher.failure()) return;
    CHECK(fast == slow) << "masks differ after " << step << " tokens";
    std::vector<std::int32_t> allowed;
    for (std::int32_t id = 0; id < vocabulary.logit_width(); ++id) {
      if ((fast[static_cast<std::size_t>(id / 32)] >> (id % 32) & 1) != 0) allowed.push_back(id);
    }
    if (!forced.empty()) CHECK(Matcher(matcher).AcceptBytes(forced) == forced.size()) << forced;
    if (allowed.empty()) return;
    seed = MixSeeds(seed, static_cast<std::uint64_t>(step));
    const std::int32_t id = allowed[seed % allowed.size()];
    if (!matcher.AcceptToken(id)) {
      CHECK(matcher.failure().has_value()) << "token " << id << " is allowed, and refused";
      return;
    }
  }
}

inline void FuzzConstraint(ConstraintKind kind, std::string_view text) {
  static const GrammarOptions options = SmallOptions();
  static const std::shared_ptr<const Vocabulary> vocabulary = FuzzVocabulary();
  const ConstraintOutcome outcome =
      CompileConstraint({kind, std::string(text)}, options, vocabulary);
  if (!outcome.ok()) {
    CHECK(!outcome.error().message.empty()) << VerdictName(outcome.error().verdict);
    return;
  }
  WalkMasks(Matcher(outcome->grammar, vocabulary), *vocabulary, HashBytes(text).low);
}

}  // namespace sglrun::grammar
