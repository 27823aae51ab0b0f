// The seeds of records without a sampling_seed. They depend only on what influences the text, so
// that requesting another output (logprobs, hidden states, more samples, an id) or stating a
// default explicitly does not change an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/hash.h"
#include "io/occurrence_counter.h"
#include "request/generate_request.h"

namespace sglrun::io {

// A hash of the effective parameters that influence tokens. Parameters with SGLang's neutral
// default are left out, so a parameter added in a later release does not change the keys of
// existing records. `require_reasoning` is that of the record.
Hash128 ChoiceHash(const SamplingParams& params, bool require_reasoning);

// The key of a prompt: its content, and the ChoiceHash of its parameters. Equal bytes of different
// kinds are different prompts.
Hash128 PromptKey(std::string_view text, const Hash128& choices);
Hash128 PromptKey(std::span<const std::int32_t> ids, const Hash128& choices);
Hash128 PromptKey(const EmbeddingRows& embeds, const Hash128& choices);

// The key of a prompt that runs with an adapter of that content.
Hash128 WithAdapter(const Hash128& prompt, const Hash128& adapter);

// The key of a record, computed from those of its prompts in order.
Hash128 RandomKey(std::span<const Hash128> prompts);

// Seeds by key, for records in input order: the k-th of those with equal keys gets the k-th seed of
// that key, so that repeated records give different samples.
class SeedSource {
 public:
  explicit SeedSource(std::uint64_t run_seed) : run_seed_(run_seed) {}
  std::uint64_t Next(const Hash128& key);

  // Makes Next use this count of earlier equal keys; nothing: it counts.
  void Give(std::optional<std::uint32_t> count) { given_ = count; }
  std::uint32_t last_count() const { return last_count_; }

 private:
  std::uint64_t run_seed_;
  std::optional<std::uint32_t> given_;
  std::uint32_t last_count_ = 0;
  OccurrenceCounter seen_;
};

}  // namespace sglrun::io
