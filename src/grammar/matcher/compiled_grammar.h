// A Grammar made ready for matching: one small deterministic byte automaton a rule, with calls and
// counters (grammar.md 5.2), and the masks found so far (5.4).
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "grammar/grammar.h"
#include "grammar/limits.h"

namespace sglrun::grammar {

struct Program;

// Immutable but for caches that are filled while matching; safe to share between threads.
class CompiledGrammar {
 public:
  // kUnsatisfiable when no finite text (or token) sequence is a member, kTooLarge past a limit.
  static Result<std::shared_ptr<const CompiledGrammar>, GrammarError> Compile(
      const Grammar& grammar, Budget& budget);

  ~CompiledGrammar();
  CompiledGrammar(const CompiledGrammar&) = delete;
  CompiledGrammar& operator=(const CompiledGrammar&) = delete;

  std::size_t MemoryBytes() const;  // caches included

  // For Matcher.
  const Program& program() const { return *program_; }
  const Limits& limits() const { return limits_; }

 private:
  CompiledGrammar(Program program, const Limits& limits);

  std::unique_ptr<const Program> program_;
  Limits limits_;
};

}  // namespace sglrun::grammar
