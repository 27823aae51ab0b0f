#include "engine/grammar_gate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/thread_pool.h"
#include "engine/stop_criteria.h"

namespace sglrun::engine {
namespace {

// Compiling uses few threads, because most cores are for the model.
int CompileThreads() {
  return std::clamp(AvailableCores() / 4, 1, 4);
}

using FirstSpace = grammar::Matcher::FirstSpace;

// As IncrementalDetokenizer decides.
FirstSpace FirstSpaceOf(const tokenizer::Tokenizer& tokenizer, const Sequence& sequence) {
  if (!tokenizer.StripsLeadingSpace()) return FirstSpace::kKept;
  std::string before;
  tokenizer.AppendBytes(PromptTail(sequence.prompt()), sequence.params().skip_special_tokens,
                        before);
  return before.empty() ? FirstSpace::kDropped : FirstSpace::kKept;
}

}  // namespace

GrammarGate::GrammarGate(const grammar::GrammarOptions& options,
                         const tokenizer::Tokenizer& tokenizer, std::int64_t vocab_size,
                         std::span<const std::int32_t> model_ends)
    : tokenizer_(&tokenizer),
      model_ends_(model_ends.begin(), model_ends.end()),
      store_(options,
             [&tokenizer, vocab_size] {
               return std::make_shared<const grammar::Vocabulary>(tokenizer, vocab_size);
             },
             {.threads = CompileThreads()}) {}

std::unique_ptr<GrammarState> GrammarGate::Want(const Sequence& sequence,
                                                std::vector<std::int32_t> reasoning_end) {
  const Constraint& constraint = *sequence.params().constraint;
  GrammarState::Setup setup;
  setup.kind = constraint.kind;
  setup.pending = store_.Want(constraint);
  setup.model_ends = model_ends_;
  setup.all_bytes = state_bytes_;
  for (const std::int64_t id : sequence.params().stop_token_ids) {
    if (id >= 0 && id < sequence.limits().vocab_size) {
      setup.request_ends.push_back(static_cast<std::int32_t>(id));
    }
  }
  setup.first_space = FirstSpaceOf(*tokenizer_, sequence);
  setup.shows_specials = !sequence.params().skip_special_tokens;
  if (!reasoning_end.empty()) {
    setup.thinking.emplace(std::move(reasoning_end), sequence.params().thinking_budget);
  }
  return std::make_unique<GrammarState>(std::move(setup));
}

bool GrammarGate::AnyReady() const {
  return std::ranges::any_of(waiting_,
                             [](const auto& sequence) { return sequence->grammar()->ready(); });
}

std::vector<std::unique_ptr<Sequence>> GrammarGate::TakeReady(Wait wait) {
  std::vector<std::unique_ptr<Sequence>> ready;
  if (waiting_.empty()) return ready;
  if (wait == Wait::kForOne) waiting_.front()->grammar()->Wait();
  std::deque<std::unique_ptr<Sequence>> later;
  for (std::unique_ptr<Sequence>& sequence : waiting_) {
    GrammarState& grammar = *sequence->grammar();
    if (!grammar.ready()) {
      later.push_back(std::move(sequence));
      continue;
    }
    sequence->failure = grammar.Start(store_.vocabulary());
    ready.push_back(std::move(sequence));
  }
  waiting_ = std::move(later);
  return ready;
}

}  // namespace sglrun::engine
