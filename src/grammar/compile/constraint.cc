#include "grammar/compile/constraint.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "grammar/compile/reachable.h"
#include "grammar/compile/warm_up.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar {
namespace {

// Between two looks at what is still held.
constexpr std::chrono::milliseconds kPatience(10);

ExprResult AppendConstraint(FrontEnd& front, const Constraint& constraint) {
  switch (constraint.kind) {
    case ConstraintKind::kJsonSchema:
      return AppendJsonSchema(front, constraint.text);
    case ConstraintKind::kRegex:
      return AppendRegex(front, constraint.text);
    case ConstraintKind::kEbnf:
      return AppendEbnf(front, constraint.text);
    case ConstraintKind::kStructuralTag:
      return AppendStructuralTag(front, constraint.text);
  }
  return front.grammar.Never();
}

std::string KeyOf(const Constraint& constraint) {
  return static_cast<char>('0' + static_cast<int>(constraint.kind)) + constraint.text;
}

std::size_t BytesOf(const std::string& key, const PendingConstraint& pending) {
  // The text stands in the key and in the constraint.
  constexpr std::size_t kFixed = 512;
  const std::size_t own = 2 * key.size() + kFixed;
  return pending.outcome().ok() ? own + pending.outcome()->grammar->MemoryBytes() : own;
}

}  // namespace

ConstraintOutcome CompileConstraint(const Constraint& constraint, const GrammarOptions& options,
                                    const std::shared_ptr<const Vocabulary>& vocabulary) {
  Grammar grammar;
  Budget budget(options.limits);
  CompiledConstraint compiled;
  FrontEnd front{grammar, options, vocabulary.get(), budget, compiled.report};
  SGLRUN_ASSIGN_OR_RETURN(const ExprId start, AppendConstraint(front, constraint));
  const RuleId root = grammar.AddRule("(start)");
  grammar.Define(root, start);
  grammar.SetRoot(root);
  SGLRUN_ASSIGN_OR_RETURN(compiled.grammar, CompiledGrammar::Compile(grammar, budget));
  if (vocabulary != nullptr) {
    SGLRUN_RETURN_IF_ERROR(CheckReachable(compiled.grammar, vocabulary, budget));
  }
  return compiled;
}

const ConstraintOutcome& PendingConstraint::outcome() const {
  CHECK(ready());
  return outcome_;
}

ConstraintStore::ConstraintStore(GrammarOptions options, MakeVocabulary make_vocabulary,
                                 Settings settings)
    : options_(std::move(options)),
      make_vocabulary_(std::move(make_vocabulary)),
      settings_(settings) {}

ConstraintStore::~ConstraintStore() = default;

const std::shared_ptr<const Vocabulary>& ConstraintStore::vocabulary() {
  std::call_once(vocabulary_once_, [this] {
    vocabulary_ = make_vocabulary_();
    if (vocabulary_ != nullptr) WarmUp(vocabulary_, options_);
  });
  return vocabulary_;
}

std::shared_ptr<const PendingConstraint> ConstraintStore::Want(const Constraint& constraint) {
  std::string key = KeyOf(constraint);
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    const Entries::iterator entry = known->second;
    entries_.splice(entries_.end(), entries_, entry);
    if (entry->bytes != 0) {  // grammars grow while they are matched
      bytes_ -= entry->bytes;
      entry->bytes = BytesOf(entry->key, *entry->pending);
      bytes_ += entry->bytes;
    }
    return entry->pending;
  }
  auto pending = std::make_shared<PendingConstraint>();
  entries_.push_back({key, pending, 0});
  by_key_.emplace(entries_.back().key, std::prev(entries_.end()));
  queue_.push_back({std::move(key), constraint, pending});
  // A run without constraints needs no threads.
  while (threads_.size() < static_cast<std::size_t>(settings_.threads)) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
  wake_.notify_one();
  return pending;
}

void ConstraintStore::Work(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
      std::optional<std::size_t> next;
      // Records give their constraints back without a word to the store.
      while (!stop.stop_requested() && !queue_.empty() && !(next = NextTask())) {
        wake_.wait_for(lock, stop, kPatience, [] { return false; });
      }
      if (stop.stop_requested()) return;
      if (!next) continue;  // another thread has taken it
      const auto at = queue_.begin() + static_cast<std::ptrdiff_t>(*next);
      task = std::move(*at);
      queue_.erase(at);
      ++compiling_;
    }
    ConstraintOutcome& outcome = task.pending->outcome_;
    outcome = CompileConstraint(task.constraint, options_, vocabulary());
    const bool stopped = !outcome.ok() && outcome.error().verdict == Verdict::kStopped;
    task.pending->state_ =
        stopped ? PendingConstraint::State::kStopped : PendingConstraint::State::kReady;
    task.pending->state_.notify_all();
    Finish(task.key, stopped ? 0 : BytesOf(task.key, *task.pending));
  }
}

// The first task if there is room, else one that a sequence waits for: what holds
// the room may be unable to go on without it.
std::optional<std::size_t> ConstraintStore::NextTask() {
  if (HasRoom()) return 0;
  const auto urgent =
      std::ranges::find_if(queue_, [](const Task& task) { return task.pending->urgent_.load(); });
  if (urgent == queue_.end()) return std::nullopt;
  return static_cast<std::size_t>(urgent - queue_.begin());
}

bool ConstraintStore::HasRoom() {
  Forget();
  if (bytes_ <= settings_.memory_bytes) return true;
  return compiling_ == 0 && std::ranges::none_of(entries_, [](const Entry& entry) {
           return entry.bytes != 0 && entry.pending.use_count() > 1;
         });
}

std::size_t ConstraintStore::bytes() {
  const std::lock_guard lock(mutex_);
  Forget();
  return bytes_;
}

// `bytes` 0: it was stopped.
void ConstraintStore::Finish(const std::string& key, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  --compiling_;
  by_key_.at(key)->bytes = bytes;
  bytes_ += bytes;
  Forget();
}

// An entry is in use while a record holds its object.
void ConstraintStore::Forget() {
  for (auto entry = entries_.begin(); entry != entries_.end() && bytes_ > settings_.memory_bytes;) {
    if (entry->bytes == 0 || entry->pending.use_count() > 1) {
      ++entry;
      continue;
    }
    bytes_ -= entry->bytes;
    by_key_.erase(entry->key);
    entry = entries_.erase(entry);
  }
}

std::size_t ConstraintStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace sglrun::grammar
