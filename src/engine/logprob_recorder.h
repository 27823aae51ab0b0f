// Writes logprobs into the result of a sequence, in the shapes of docs/requests.md.
#pragma once

#include <cstdint>
#include <span>

#include "engine/sequence.h"
#include "sampling/logits_pipeline.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

class LogprobRecorder {
 public:
  explicit LogprobRecorder(const tokenizer::Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  // Prepares the lists of a request that asks for logprobs, with the entries that are known before
  // anything is computed: the first reported position has no logprob.
  void Start(Sequence& sequence) const;

  // Row `position` of the prompt gave the logprobs of the next token.
  void AddPromptRow(Sequence& sequence, std::int64_t position,
                    const sampling::RowLogprobs& row) const;

  // The row that gave `token`.
  void AddOutputRow(Sequence& sequence, std::int32_t token, const sampling::RowLogprobs& row) const;

  // The row after the prompt if nothing is generated (max_new_tokens 0): the distribution of the
  // next token.
  void AddScoringRow(Sequence& sequence, const sampling::RowLogprobs& row) const;

  // return_sampling_mask: the tokens that could have been drawn, and the share of the one that was.
  void AddKeptSet(Sequence& sequence, std::int32_t token,
                  std::span<const kernels::KeptToken> kept) const;

 private:
  TokenLogprob Entry(const Sequence& sequence, std::optional<float> logprob,
                     std::int32_t token) const;
  PositionLogprobs Top(const Sequence& sequence, const sampling::RowLogprobs& row) const;
  PositionLogprobs Asked(const Sequence& sequence, const sampling::RowLogprobs& row) const;

  const tokenizer::Tokenizer* tokenizer_;
};

}  // namespace sglrun::engine
