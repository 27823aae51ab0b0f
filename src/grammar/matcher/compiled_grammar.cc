#include "grammar/matcher/compiled_grammar.h"

#include <utility>

#include "grammar/matcher/expr_facts.h"
#include "grammar/matcher/left_recursion.h"
#include "grammar/matcher/mask_cache.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/sketch.h"

namespace sglrun::grammar {

CompiledGrammar::CompiledGrammar(Program program, const Limits& limits)
    : program_(std::make_unique<const Program>(std::move(program))), limits_(limits) {}

CompiledGrammar::~CompiledGrammar() = default;

Result<std::shared_ptr<const CompiledGrammar>, GrammarError> CompiledGrammar::Compile(
    const Grammar& grammar, Budget& budget) {
  if (grammar.node_count() > budget.limits().nodes) {
    return GrammarError{Verdict::kTooLarge,
                        "the grammar has " + std::to_string(grammar.node_count()) +
                            " nodes, the limit is " + std::to_string(budget.limits().nodes)};
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprFacts facts, ExprFacts::Of(grammar, budget));
  if (!facts.Spells(grammar.rule(grammar.root()).body)) {
    return GrammarError{Verdict::kUnsatisfiable, "no finite text matches"};
  }
  SGLRUN_ASSIGN_OR_RETURN(Machines machines, BuildMachines(grammar, facts, budget));
  SGLRUN_RETURN_IF_ERROR(RemoveLeftRecursion(machines, budget));
  return std::shared_ptr<const CompiledGrammar>(
      new CompiledGrammar(Flatten(machines, grammar), budget.limits()));
}

bool CompiledGrammar::names_tokens() const {
  return !program_->token_sets.empty();
}
bool CompiledGrammar::counts_tokens() const {
  return program_->has_token_limits;
}

std::shared_ptr<MaskCache> CompiledGrammar::masks(
    const std::shared_ptr<const Vocabulary>& vocabulary) const {
  const std::scoped_lock lock(mutex_);
  for (const std::shared_ptr<MaskCache>& cache : masks_) {
    if (cache->vocabulary() == vocabulary) return cache;
  }
  masks_.push_back(std::make_shared<MaskCache>(*program_, vocabulary, limits_));
  return masks_.back();
}

std::size_t CompiledGrammar::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = sizeof *this + program_->MemoryBytes();
  for (const std::shared_ptr<MaskCache>& cache : masks_) bytes += cache->MemoryBytes();
  return bytes;
}

}  // namespace sglrun::grammar
