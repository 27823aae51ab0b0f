#include "grammar/matcher/compiled_grammar.h"

#include <string>
#include <utility>

#include "grammar/matcher/expr_facts.h"
#include "grammar/matcher/frontier.h"
#include "grammar/matcher/left_recursion.h"
#include "grammar/matcher/mask_cache.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/sketch.h"
#include "grammar/matcher/stacks.h"

namespace sglrun::grammar {

namespace {

GrammarError TooLarge(const std::string& what, std::int64_t found, std::int64_t limit) {
  return {Verdict::kTooLarge, "the grammar has " + std::to_string(found) + " " + what +
                                  ", the limit is " + std::to_string(limit)};
}

// A program within its bounds, with which texts can at least be begun.
Result<void, GrammarError> Check(const Program& program, const Limits& limits) {
  if (const std::size_t bytes = program.MemoryBytes(); bytes > limits.program_bytes) {
    return TooLarge("bytes of automata", static_cast<std::int64_t>(bytes),
                    static_cast<std::int64_t>(limits.program_bytes));
  }
  Stacks stacks(program, 0);
  Frontier start;
  Stepper(program, stacks).Start(start);
  if (start.items.size() > limits.frontier_items) {
    return TooLarge("places where a text may begin", static_cast<std::int64_t>(start.items.size()),
                    static_cast<std::int64_t>(limits.frontier_items));
  }
  return {};
}

}  // namespace

CompiledGrammar::CompiledGrammar(Program program, const Limits& limits)
    : program_(std::make_unique<const Program>(std::move(program))), limits_(limits) {}

CompiledGrammar::~CompiledGrammar() = default;

Result<std::shared_ptr<const CompiledGrammar>, GrammarError> CompiledGrammar::Compile(
    const Grammar& grammar, Budget& budget) {
  if (grammar.node_count() > budget.limits().nodes) {
    return TooLarge("nodes", grammar.node_count(), budget.limits().nodes);
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprFacts facts, ExprFacts::Of(grammar, budget));
  if (!facts.Spells(grammar.rule(grammar.root()).body)) {
    return GrammarError{Verdict::kUnsatisfiable, "no finite text matches"};
  }
  SGLRUN_ASSIGN_OR_RETURN(Machines machines, BuildMachines(grammar, facts, budget));
  SGLRUN_RETURN_IF_ERROR(RemoveLeftRecursion(machines, budget));
  Program program = Flatten(machines, grammar);
  SGLRUN_RETURN_IF_ERROR(Check(program, budget.limits()));
  return std::shared_ptr<const CompiledGrammar>(
      new CompiledGrammar(std::move(program), budget.limits()));
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
