// What a sequence asks of the logits pipeline for one of its rows.
#pragma once

#include "engine/engine.h"
#include "engine/sequence.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

// For the next draw; the line of the grammar mask is left to the caller. Spans point into the
// sequence.
sampling::RowWishes WishesOf(const Sequence& sequence, LogprobsMode mode);

// For a token that was taken without a draw: the logprobs of the row it would have been drawn from.
// `ids`: the token, then the ids whose logprobs the request asks for.
sampling::RowWishes WishesOf(const Sequence& sequence, const Sequence::ForcedToken& forced,
                             std::span<const std::int32_t> ids, LogprobsMode mode);

}  // namespace sglrun::engine
