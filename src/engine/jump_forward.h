// Appends text that a constraint forces as several tokens at once: if only one continuation is
// possible, its tokens need no draw and are fed together in one step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/sequence.h"
#include "grammar/ir/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

// The tokens of `forced` after the tokens `before`, without those at the end that could still
// change with the following text. None if the tokenizer does not split the two texts at this place.
std::vector<std::int32_t> TokensOfForcedText(const tokenizer::Tokenizer& tokenizer,
                                             const grammar::Vocabulary& vocabulary,
                                             std::span<const std::int32_t> before,
                                             std::string_view forced);

// Appends the text that the constraint forces next, leaving at least one of the tokens that may be
// generated; returns the number of tokens. sequence.JumpsForward(), and its constraint is prepared,
// also afterwards.
std::int64_t JumpForward(Sequence& sequence, const tokenizer::Tokenizer& tokenizer);

}  // namespace sglrun::engine
