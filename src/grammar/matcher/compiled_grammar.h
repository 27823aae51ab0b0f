// A compiled Grammar: one small deterministic byte automaton per rule, with calls and counters, and
// the masks computed so far.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "grammar/base/limits.h"
#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

struct Program;
class MaskCache;
class Vocabulary;

// Immutable except for caches that are filled while matching; safe to share between threads.
class CompiledGrammar {
 public:
  // kUnsatisfiable when no finite text (or token) sequence is a member, kTooLarge past a limit.
  static Result<std::shared_ptr<const CompiledGrammar>, GrammarError> Compile(
      const Grammar& grammar, Budget& budget);

  ~CompiledGrammar();
  CompiledGrammar(const CompiledGrammar&) = delete;
  CompiledGrammar& operator=(const CompiledGrammar&) = delete;

  std::size_t MemoryBytes() const;  // caches included

  // Features that cannot be checked with bytes alone: elements that are one token each, and bounds
  // on tokens.
  bool names_tokens() const;
  bool counts_tokens() const;

  // For Matcher.
  const Program& program() const { return *program_; }
  const Limits& limits() const { return limits_; }
  std::shared_ptr<MaskCache> masks(const std::shared_ptr<const Vocabulary>& vocabulary) const;

 private:
  CompiledGrammar(Program program, const Limits& limits);

  std::unique_ptr<const Program> program_;
  Limits limits_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<MaskCache>> masks_;  // one a vocabulary
};

}  // namespace sglrun::grammar
