// The options of the logits pipeline for one row of a sequence.
#pragma once

#include "engine/engine.h"
#include "engine/sequence.h"
#include "sampling/sampling_batch.h"

namespace sglrun::engine {

// For the next draw, which `limits` apply to; the line of the mask is left to the caller. Spans
// point into the sequence.
sampling::RowOptions OptionsOf(const Sequence& sequence, const TokenLimits& limits,
                               LogprobsMode mode);

// For a token that was appended without a draw: the logprobs of the row from which it would have
// been drawn. `ids`: the token, then the ids whose logprobs the request asks for.
sampling::RowOptions OptionsOf(const Sequence& sequence, const ForcedToken& forced,
                               std::span<const std::int32_t> ids, LogprobsMode mode);

}  // namespace sglrun::engine
