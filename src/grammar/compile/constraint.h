// From the constraint of a record to a compiled grammar, and a store that shares it between the
// records of a run and compiles ahead of use in threads of its own.
//
//   ConstraintStore store(options, vocabulary, {});
//   auto pending = store.Want(constraint);      // returns at once
//   if (pending->ready()) pending->outcome() ... // Result: the grammar, or why there is none
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "grammar/base/grammar_error.h"
#include "grammar/ir/options.h"
#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/compiled_grammar.h"
#include "request/constraint.h"

namespace sglrun::grammar {

struct CompiledConstraint {
  std::shared_ptr<const CompiledGrammar> grammar;
  GrammarReport report;
};
using ConstraintOutcome = Result<CompiledConstraint, GrammarError>;

// `vocabulary` may be nullptr: tokens can then be named by id only, and nothing is kUnreachable.
// kStopped when the process is asked to stop meanwhile.
ConstraintOutcome CompileConstraint(const Constraint& constraint, const GrammarOptions& options,
                                    const std::shared_ptr<const Vocabulary>& vocabulary);

// One distinct constraint on its way. Threads may share it. A compile that is stopped never becomes
// ready: it has no outcome.
class PendingConstraint {
 public:
  bool ready() const { return state_.load(std::memory_order_acquire) == State::kReady; }
  const ConstraintOutcome& outcome() const;  // ready()
  // Until it is ready, or stopped. What is waited for does not itself wait for memory.
  void Wait() const {
    urgent_ = true;
    state_.wait(State::kCompiling, std::memory_order_acquire);
  }

 private:
  friend class ConstraintStore;
  enum class State : std::uint8_t { kCompiling, kReady, kStopped };
  std::atomic<State> state_ = State::kCompiling;
  mutable std::atomic<bool> urgent_ = false;
  ConstraintOutcome outcome_ = GrammarError{};
};

class ConstraintStore {
 public:
  struct Settings {
    int threads = 1;
    // Above this size, compiled constraints that are not in use are freed, least recently used
    // first; and while others are in use, no further compile begins.
    std::size_t memory_bytes = std::size_t{128} << 20;
  };
  // Asked for once, by the first compile: building a vocabulary takes a while.
  using MakeVocabulary = std::function<std::shared_ptr<const Vocabulary>()>;
  ConstraintStore(GrammarOptions options, MakeVocabulary make_vocabulary, Settings settings);
  ~ConstraintStore();  // drops what is not begun, waits for what is
  ConstraintStore(const ConstraintStore&) = delete;
  ConstraintStore& operator=(const ConstraintStore&) = delete;

  // Equal constraints share one object. Compilations start in the order of first use.
  std::shared_ptr<const PendingConstraint> Want(const Constraint& constraint);

  const std::shared_ptr<const Vocabulary>& vocabulary();
  std::size_t size() const;  // constraints that are remembered
  std::size_t bytes();       // that they take

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<PendingConstraint> pending;
    std::size_t bytes = 0;  // when it was last wanted; 0 until it is ready
  };
  using Entries = std::list<Entry>;

  void Work(const std::stop_token& stop);
  std::optional<std::size_t> NextTask();
  bool HasRoom();
  void Finish(const std::string& key, std::size_t bytes);
  void Forget();

  const GrammarOptions options_;
  const MakeVocabulary make_vocabulary_;
  const Settings settings_;
  std::once_flag vocabulary_once_;
  std::shared_ptr<const Vocabulary> vocabulary_;

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  Entries entries_;                                                 // least recently wanted first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // views of Entry::key
  std::size_t bytes_ = 0;
  int compiling_ = 0;
  struct Task {
    std::string key;
    Constraint constraint;
    std::shared_ptr<PendingConstraint> pending;
  };
  std::deque<Task> queue_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace sglrun::grammar
