// Values that an engine computes once from model, tokenizer and options.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace sglrun::engine {

// The end tokens of model and tokenizer.
std::vector<std::int32_t> StopIds(const model::SpecialTokens& special,
                                  const tokenizer::Tokenizer& tokenizer);

// Bit t: token t exists. Columns of the head without a token (padding, gaps) are never picked.
std::vector<std::uint32_t> SampleableBits(const tokenizer::Tokenizer& tokenizer,
                                          std::int64_t vocab_size);

// Sets the options that were left to choose; an error states what does not fit the model.
Result<EngineOptions> EffectiveOptions(EngineOptions options, const model::ModelSpec& spec);

}  // namespace sglrun::engine
