#include "engine/engine_setup.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "engine/memory_plan.h"

namespace sglrun::engine {

std::vector<std::int32_t> StopIds(const model::SpecialTokens& special,
                                  const tokenizer::Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids = special.eos;
  const std::vector<std::int32_t> others = tokenizer.StopIds();
  ids.insert(ids.end(), others.begin(), others.end());
  return ids;
}

std::vector<std::uint32_t> SampleableBits(const tokenizer::Tokenizer& tokenizer,
                                          std::int64_t vocab_size) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>((vocab_size + 31) / 32), 0);
  for (std::int32_t id = 0; id < vocab_size; ++id) {
    if (tokenizer.IsToken(id)) bits[static_cast<std::size_t>(id / 32)] |= 1u << (id % 32);
  }
  return bits;
}

Result<EngineOptions> EffectiveOptions(EngineOptions options, const model::ModelSpec& spec) {
  const auto is_step = [](std::int64_t size) { return size >= 1 && size <= kMostStepTokens; };
  if (!is_step(options.max_rows) || !is_step(options.max_batch_tokens)) {
    return Error{"max_rows is " + std::to_string(options.max_rows) + " and max_batch_tokens is " +
                 std::to_string(options.max_batch_tokens) + ", both must be from 1 to " +
                 std::to_string(kMostStepTokens)};
  }
  if (options.context_length == 0) options.context_length = spec.context_length;
  if (options.context_length < 2 || options.context_length > spec.context_length) {
    return Error{"the context length is " + FormatCount(options.context_length) +
                 ", the model allows 2 to " + FormatCount(spec.context_length)};
  }
  options.max_batch_tokens = std::max(options.max_batch_tokens, options.max_rows);
  return options;
}

}  // namespace sglrun::engine
