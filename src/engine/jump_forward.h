// Text that a constraint forces, taken as several tokens at once: where there is one way to go on,
// its tokens need no draw and are fed together in one step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/sequence.h"
#include "grammar/ir/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

// The tokens that the tokenizer gives `forced` behind the tokens `before`, but for those at the end
// that the text to come could still change. None where the tokenizer would not part the two texts
// there.
std::vector<std::int32_t> TokensOfForcedText(const tokenizer::Tokenizer& tokenizer,
                                             const grammar::Vocabulary& vocabulary,
                                             std::span<const std::int32_t> before,
                                             std::string_view forced);

// Appends what the constraint forces next, a token less than what may be generated in all; the
// number of tokens. sequence.JumpsForward(), and its constraint is prepared, also afterwards.
std::int64_t JumpForward(Sequence& sequence, const tokenizer::Tokenizer& tokenizer);

}  // namespace sglrun::engine
