// Which draws a record without a sampling_seed gets. They depend on what decides its text, so that
// asking for another output (logprobs, hidden states, more samples, an id) or spelling out a
// default changes no answer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "io/occurrence_counter.h"
#include "request/generate_request.h"

namespace sglrun::io {

// A hash of the effective parameters that decide which tokens come. Parameters at SGLang's neutral
// default add nothing to it: one that a later release brings changes no key of today's records.
// `require_reasoning` is the record's.
Hash128 ChoiceHash(const SamplingParams& params, bool require_reasoning);

// The key of a prompt: what it is, and the ChoiceHash of its parameters. Equal bytes of different
// kinds are different prompts.
Hash128 PromptKey(std::string_view text, const Hash128& choices);
Hash128 PromptKey(std::span<const std::int32_t> ids, const Hash128& choices);
Hash128 PromptKey(const EmbeddingRows& embeds, const Hash128& choices);

// The key of a record, of those of its prompts in order.
Hash128 RandomKey(std::span<const Hash128> prompts);

// Seeds by key, for records in input order: the k-th of those with equal keys gets the k-th seed of
// that key, so that repeated records give different samples.
class SeedSource {
 public:
  explicit SeedSource(std::uint64_t run_seed) : run_seed_(run_seed) {}
  std::uint64_t Next(const Hash128& key);

 private:
  std::uint64_t run_seed_;
  OccurrenceCounter seen_;
};

}  // namespace sglrun::io
