// The parts of a step that concern constraints (engine_impl.h).
#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "engine/engine_impl.h"
#include "engine/jump_forward.h"

namespace sglrun::engine {

// Passes sequences whose constraint has been compiled to the scheduler, and returns those whose
// constraint is refused. Waits only if there is nothing else to do.
std::vector<GenerateResult> Engine::Impl::OpenGate() {
  std::vector<GenerateResult> refused;
  const auto wait = scheduler.HasWork() ? GrammarGate::Wait::kNo : GrammarGate::Wait::kForOne;
  for (std::unique_ptr<Sequence>& sequence : gate.TakeReady(wait)) {
    if (!sequence->failure) {
      stats.output_tokens += JumpIfAsked(*sequence);
      FailAtDeadEnd(*sequence);
    }
    if (sequence->failure) {
      refused.push_back(sequence->TakeResult(tokenizer));
    } else {
      scheduler.Submit(std::move(sequence));
    }
  }
  return refused;
}

// Computes the masks for the rows of this step; on a device this overlaps with the forward pass. A
// text that can only end here needs no draw.
void Engine::Impl::PrepareRules(const StepRows& step) {
  std::vector<Sequence*> unprepared;
  for (const StepRow& row : step.rows) {
    if (row.sequence == nullptr || !row.gives_token()) continue;
    if (!row.sequence->rules_prepared()) unprepared.push_back(row.sequence);
  }
  Prepare(unprepared, /*jumps=*/false);
}

void Engine::Impl::Prepare(std::span<Sequence* const> sequences, bool jumps) {
  if (sequences.empty()) return;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> jumped = 0;
  auto prepare = [&](int, int) {
    for (std::size_t r = next++; r < sequences.size(); r = next++) {
      sequences[r]->PrepareRules();
      if (jumps) jumped += JumpIfAsked(*sequences[r]);
    }
  };
  context.pool().Run(prepare);
  stats.output_tokens += jumped;
  for (Sequence* sequence : sequences) {
    if (sequence->grammar() != nullptr) EndGrammar(*sequence);
  }
}

// Computes what the next plan needs from constraints: forced tokens, and texts to which nothing can
// be added. Other masks are computed during the next forward pass.
void Engine::Impl::FollowGrammars(const DrawRows& draw) {
  std::vector<Sequence*> urgent;
  const auto look_at = [&](Sequence* sequence) {
    if (sequence->has_ended() || sequence->grammar() == nullptr) return;
    const bool jumps = options.jump_forward && sequence->JumpsForward();
    if (jumps || sequence->grammar()->IsAtEnd()) urgent.push_back(sequence);
  };
  std::ranges::for_each(draw.sampled, look_at);
  std::ranges::for_each(draw.forced, look_at);
  Prepare(urgent, /*jumps=*/true);
}

// Appends forced tokens; called on several threads at once.
std::int64_t Engine::Impl::JumpIfAsked(Sequence& sequence) const {
  return options.jump_forward && sequence.JumpsForward() ? JumpForward(sequence, tokenizer) : 0;
}

void Engine::Impl::FailAtDeadEnd(Sequence& sequence) {
  const GrammarState& grammar = *sequence.grammar();
  if (grammar.next() != GrammarState::Next::kNone) return;
  sequence.failure =
      grammar.failure("output token " + std::to_string(sequence.generated_size() + 1));
}

// Finishes sequences that need no further step: their text can only end, or cannot continue.
void Engine::Impl::EndGrammar(Sequence& sequence) {
  FailAtDeadEnd(sequence);
  const GrammarState& grammar = *sequence.grammar();
  const bool is_watched = sequence.request().return_hidden_states != HiddenStates::kNone;
  if (grammar.next() != GrammarState::Next::kEnd || is_watched || !sequence.TakesForcedTokens()) {
    return;
  }
  if (grammar.forced_end() >= 0) ++stats.output_tokens;
  sequence.EndByGrammar();
}

}  // namespace sglrun::engine
