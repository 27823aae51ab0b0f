// Sequences whose constraint is still being compiled. They wait here and do not delay the batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/grammar_state.h"
#include "engine/sequence.h"
#include "grammar/compile/constraint.h"
#include "grammar/ir/options.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::engine {

class GrammarGate {
 public:
  // `model_ends`: the end tokens of model and tokenizer, in order of preference.
  GrammarGate(const grammar::GrammarOptions& options, const tokenizer::Tokenizer& tokenizer,
              std::int64_t vocab_size, std::span<const std::int32_t> model_ends);

  // The state of a sequence with a constraint. Its compilation starts now, unless another record
  // has requested the same constraint. `reasoning_end`: the tokens after which the constraint
  // begins, or none. Thread-safe.
  std::unique_ptr<GrammarState> Want(const Sequence& sequence,
                                     std::vector<std::int32_t> reasoning_end);

  void Submit(std::unique_ptr<Sequence> sequence) { waiting_.push_back(std::move(sequence)); }
  std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }
  bool AnyReady() const;
  void CancelAll() { waiting_.clear(); }
  // What constraints and the states of their sequences take. A constraint that several records
  // share counts once. Thread-safe.
  std::int64_t bytes() { return static_cast<std::int64_t>(store_.bytes()) + *state_bytes_; }

  enum class Wait : std::uint8_t { kNo, kForOne };
  // The sequences that can start, in order of submission, and those whose constraint is refused,
  // with their failure set. kForOne: at least one, if any is waiting.
  std::vector<std::unique_ptr<Sequence>> TakeReady(Wait wait);

 private:
  const tokenizer::Tokenizer* tokenizer_;
  std::vector<std::int32_t> model_ends_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  grammar::ConstraintStore store_;
  const std::shared_ptr<std::atomic<std::int64_t>> state_bytes_ =
      std::make_shared<std::atomic<std::int64_t>>(0);
};

}  // namespace sglrun::engine
