// How a pre-tokenizer cuts a text at the matches of its pattern. On "the-final--countdown" and "-":
//   Removed             the final countdown
//   Isolated            the - final - - countdown
//   MergedWithPrevious  the- final- - countdown
//   MergedWithNext      the -final - -countdown
//   Contiguous          the - final -- countdown
#pragma once

#include <span>
#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/piece.h"
#include "tokenizer/regex.h"

namespace sglrun::tokenizer {

enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

Result<SplitBehavior> ParseSplitBehavior(const JsonView& json);

// What counts as the delimiter: the matches, or ("invert") all between them.
enum class Delimiter { kMatch, kGap };

// Appends the pieces of `piece`, empty ones left out.
void SplitAtMatches(const Piece& piece, std::span<const Match> matches, Delimiter delimiter,
                    SplitBehavior behavior, std::vector<Piece>& out);

}  // namespace sglrun::tokenizer
