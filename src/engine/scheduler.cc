#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sglrun::engine {

using kernels::kPageSize;

namespace {

// Of the pages that running sequences may still need, one in four is kept free at admission: most
// answers end long before max_new_tokens, and one that does not costs a preemption, not a failure.
constexpr std::int64_t kGrowthShare = 4;

// The maximum number of waiting sequences examined in one step. Sequences that wait for a shared
// prefix are skipped, and a long queue of them must not cost time in every step.
constexpr std::int64_t kLookAhead = 256;

// Branches of the trie of prompts that are walked at the same time.
constexpr std::size_t kMostBranches = 64;
// Admissions that may overtake the oldest waiting sequence.
constexpr std::int64_t kMostOvertaken = 4096;

// Tokens that a plan may feed, including the token of an unread draw.
std::int64_t PlannableTokens(const Sequence& sequence) {
  return sequence.size() + (sequence.cache.drawn_row >= 0 ? 1 : 0);
}

std::int64_t ExpectedGrowth(const Sequence& sequence) {
  const std::int64_t held = PagesFor(PlannableTokens(sequence));
  return (PagesFor(sequence.max_cached_tokens()) - held + kGrowthShare - 1) / kGrowthShare;
}

BlockManager::PageTokens TokensOfPage(const Sequence& sequence, std::int64_t page) {
  return sequence.tokens().subspan(static_cast<std::size_t>(page * kPageSize)).first<kPageSize>();
}

// Pages that may be taken from the cache: full pages before the first row that is still needed.
std::int64_t MatchablePages(const Sequence& sequence) {
  return sequence.shares_pages() ? sequence.first_wanted_row() / kPageSize : 0;
}

template <class Queue>
void InsertByOrder(Queue& queue, std::unique_ptr<Sequence> sequence) {
  const auto place = std::ranges::upper_bound(queue, sequence->cache.order, {},
                                              [](const auto& s) { return s->cache.order; });
  queue.insert(place, std::move(sequence));
}

// Page i - 1 of the sequence, or the root of its first page.
PageId PageBefore(const Sequence& sequence, std::int64_t i) {
  return i == 0 ? RootOf(sequence.request().adapter)
                : sequence.cache.pages[static_cast<std::size_t>(i - 1)];
}

}  // namespace

Scheduler::Scheduler(const Limits& limits, BlockManager& blocks)
    : limits_(limits), blocks_(&blocks) {
  CHECK(limits.max_rows > 0 && limits.max_batch_tokens >= limits.max_rows)
      << limits.max_rows << " rows, " << limits.max_batch_tokens << " tokens";
}

void Scheduler::Submit(std::unique_ptr<Sequence> sequence) {
  CHECK(PagesFor(sequence->max_cached_tokens()) <= blocks_->num_pages())
      << "a sequence that never fits must be refused before";
  sequence->cache.order = next_order_++;
  Wait(std::move(sequence));
}

void Scheduler::Wait(std::unique_ptr<Sequence> sequence) {
  if (sequence->shares_pages()) waiting_prompts_.Add(*sequence);
  waiting_tokens_ += sequence->size();
  InsertByOrder(waiting_, std::move(sequence));
}

std::span<const PlannedRow> Scheduler::Plan() {
  PlanRows();
  CHECK(!rows_.empty() || !HasWork()) << "nothing to do with\n" << ToString();
  return rows_;
}

std::span<const PlannedRow> Scheduler::PlanAhead(std::span<Sequence* const> drawn) {
  rows_.clear();
  for (std::size_t r = 0; r < drawn.size(); ++r) {
    if (drawn[r] != nullptr) drawn[r]->cache.drawn_row = static_cast<std::int32_t>(r);
  }
  if (CanGrowAll()) PlanRows();
  for (Sequence* sequence : drawn) {
    if (sequence != nullptr) sequence->cache.drawn_row = -1;
  }
  return rows_;
}

// Every running sequence can have the pages of its tokens.
bool Scheduler::CanGrowAll() const {
  std::int64_t missing = 0;
  for (const auto& sequence : running_) {
    const auto held = static_cast<std::int64_t>(sequence->cache.pages.size());
    missing += std::max<std::int64_t>(PagesFor(PlannableTokens(*sequence)) - held, 0);
  }
  return missing <= blocks_->available();
}

void Scheduler::PlanRows() {
  budget_ = limits_.max_batch_tokens;
  preempted_ = false;
  for (const auto& sequence : running_) sequence->cache.scheduled = 0;
  PlanDecodes();
  PlanChunks();
  if (!preempted_) AdmitWaiting();
  rows_.clear();
  for (const auto& sequence : running_) {
    if (sequence->cache.scheduled == 0) continue;
    const bool feeds_drawn =
        sequence->cache.computed + sequence->cache.scheduled > sequence->size();
    rows_.push_back({.sequence = sequence.get(),
                     .first = sequence->cache.computed,
                     .count = sequence->cache.scheduled,
                     .drawn_row = feeds_drawn ? sequence->cache.drawn_row : -1});
  }
}

// Oldest first, so that the oldest sequence always advances and the youngest is preempted if pages
// are missing.
void Scheduler::PlanDecodes() {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = *running_[i];
    const std::int64_t tokens = PlannableTokens(sequence);
    const bool is_decode = tokens - sequence.cache.computed == 1;
    // The pages of a prompt were allocated at admission; those of forced tokens may be missing.
    const bool has_pages =
        static_cast<std::int64_t>(sequence.cache.pages.size()) >= PagesFor(tokens);
    if (!is_decode && has_pages) continue;
    bool grown = GrowTo(sequence, tokens);
    while (!grown && running_.size() > i + 1) {
      PreemptYoungest();
      grown = GrowTo(sequence, tokens);
    }
    if (!grown) {
      PreemptYoungest();  // it is the youngest itself
      return;
    }
    if (!is_decode) continue;
    sequence.cache.scheduled = 1;
    --budget_;
  }
}

void Scheduler::PlanChunks() {
  for (const auto& sequence : running_) {
    if (sequence->cache.scheduled != 0) continue;
    sequence->cache.scheduled =
        std::min(PlannableTokens(*sequence) - sequence->cache.computed, budget_);
    budget_ -= sequence->cache.scheduled;
  }
}

void Scheduler::AdmitWaiting() {
  look_from_ = 0;
  looks_left_ = kLookAhead;
  while (!waiting_.empty() && budget_ > 0 && running() < limits_.max_rows) {
    Sequence* const sequence = NextToAdmit();
    if (sequence == nullptr) return;
    if (!TryAdmit(*sequence)) {
      blocks_->ReleaseAll(sequence->cache.pages);
      return;  // others must not overtake it for ever
    }
    Admit(*sequence);
  }
}

// The next sequence in a walk through the trie of the waiting prompts, longest shared beginning
// first: a prefix is computed once, even if many other records are between those that share it,
// because all of them run before its pages are released. This is the idea of the cache-aware order
// of RadixAttention (Zheng et al. 2024). The sequence holds its pages from the cache.
Sequence* Scheduler::NextToAdmit() {
  if (overtaken_ < kMostOvertaken) {
    if (Sequence* const sequence = NextOfAPrefix()) return sequence;
  }
  return NextInOrder();
}

Sequence* Scheduler::NextOfAPrefix() {
  for (std::size_t i = branches_.size(); i-- > 0;) {
    const PromptIndex::Nearest nearest = waiting_prompts_.Find(branches_[i]);
    if (nearest.shared < kPageSize) {
      branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (!IsReady(*nearest.sequence)) continue;
    branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(i));  // it takes the place
    return nearest.sequence;
  }
  return nullptr;
}

Sequence* Scheduler::NextInOrder() {
  auto next = std::ranges::lower_bound(waiting_, look_from_, {},
                                       [](const auto& sequence) { return sequence->cache.order; });
  for (; next != waiting_.end() && looks_left_ > 0; ++next, --looks_left_) {
    look_from_ = (*next)->cache.order + 1;
    if (IsReady(**next)) return next->get();
  }
  return nullptr;
}

// Takes the pages of the prefix from the cache, unless the next page is being computed by another
// sequence.
bool Scheduler::IsReady(Sequence& sequence) {
  const std::int64_t matchable = MatchablePages(sequence);
  blocks_->MatchPrefix(RootOf(sequence.request().adapter), sequence.tokens(), matchable,
                       sequence.cache.pages);
  if (!NextPageIsBeingComputed(sequence, sequence.cache.pages, matchable)) return true;
  blocks_->ReleaseAll(sequence.cache.pages);
  return false;
}

void Scheduler::Admit(Sequence& sequence) {
  const auto place = std::ranges::lower_bound(waiting_, sequence.cache.order, {},
                                              [](const auto& s) { return s->cache.order; });
  overtaken_ = place == waiting_.begin() ? 0 : overtaken_ + 1;
  auto admitted = std::move(*place);
  waiting_.erase(place);
  waiting_tokens_ -= sequence.size();
  if (sequence.shares_pages()) {
    waiting_prompts_.Remove(sequence);
    if (sequence.size() >= kPageSize) {
      branches_.push_back(
          {sequence.request().adapter, {sequence.tokens().begin(), sequence.tokens().end()}});
      if (branches_.size() > kMostBranches) branches_.pop_front();
    }
  }
  InsertByOrder(running_, std::move(admitted));
}

// The sequence holds the pages of its cached prefix; allocates the others if enough pages are free.
bool Scheduler::TryAdmit(Sequence& sequence) {
  const auto cached = static_cast<std::int64_t>(sequence.cache.pages.size());
  const std::int64_t needed = PagesFor(sequence.size()) - cached;
  std::int64_t growth = 0;
  if (!running_.empty()) {
    growth = ExpectedGrowth(sequence);
    for (const auto& other : running_) growth += ExpectedGrowth(*other);
  }
  if (needed + growth > blocks_->available()) return false;
  CHECK(GrowTo(sequence, sequence.size()));
  sequence.cache.computed = cached * kPageSize;
  if (!sequence.cache.was_admitted) {
    sequence.cache.was_admitted = true;
    sequence.gathering.result.cached_tokens =
        std::min(sequence.cache.computed, sequence.prompt_size());
    cached_tokens_ += sequence.gathering.result.cached_tokens;
  }
  sequence.cache.scheduled = std::min(sequence.size() - sequence.cache.computed, budget_);
  budget_ -= sequence.cache.scheduled;
  return true;
}

// Sequences agree on all pages before, or their chains of matched pages would differ.
bool Scheduler::NextPageIsBeingComputed(const Sequence& sequence, std::span<const PageId> matched,
                                        std::int64_t matchable) const {
  const auto next = static_cast<std::int64_t>(matched.size());
  if (next >= matchable) return false;
  const PageId before = matched.empty() ? RootOf(sequence.request().adapter) : matched.back();
  return std::ranges::any_of(running_, [&](const auto& other) {
    if (!other->shares_pages() || other->cache.computed / kPageSize != next) return false;
    if (other->size() < (next + 1) * kPageSize) return false;
    const PageId others_before = PageBefore(*other, next);
    return others_before == before &&
           std::ranges::equal(TokensOfPage(*other, next), TokensOfPage(sequence, next));
  });
}

bool Scheduler::GrowTo(Sequence& sequence, std::int64_t tokens) {
  while (static_cast<std::int64_t>(sequence.cache.pages.size()) < PagesFor(tokens)) {
    const PageId page = blocks_->Allocate();
    if (page == kNoPage) return false;
    sequence.cache.pages.push_back(page);
  }
  return true;
}

void Scheduler::PreemptYoungest() {
  auto victim = std::move(running_.back());
  running_.pop_back();
  CHECK(victim->cache.scheduled == 0) << "the youngest is planned last";
  blocks_->ReleaseAll(victim->cache.pages);
  victim->cache.computed = 0;
  Wait(std::move(victim));
  preempted_ = true;
  ++preemptions_;
}

void Scheduler::Computed(Sequence& sequence, std::int64_t first, std::int64_t count) {
  CHECK(sequence.cache.computed == first);
  const std::int64_t first_page = sequence.cache.computed / kPageSize;
  sequence.cache.computed += count;
  if (!sequence.shares_pages()) return;
  for (std::int64_t i = first_page; i < sequence.cache.computed / kPageSize; ++i) {
    const PageId before = PageBefore(sequence, i);
    PageId& page = sequence.cache.pages[static_cast<std::size_t>(i)];
    page = blocks_->Publish(page, before, TokensOfPage(sequence, i));
  }
}

std::unique_ptr<Sequence> Scheduler::Remove(const Sequence& sequence) {
  const auto place = std::ranges::find(running_, &sequence, [](const auto& s) { return s.get(); });
  CHECK(place != running_.end());
  auto removed = std::move(*place);
  running_.erase(place);
  blocks_->ReleaseAll(removed->cache.pages);
  return removed;
}

void Scheduler::CancelAll() {
  for (const auto& sequence : running_) blocks_->ReleaseAll(sequence->cache.pages);
  running_.clear();
  waiting_.clear();
  waiting_prompts_.Clear();
  waiting_tokens_ = 0;
  branches_.clear();
  rows_.clear();
}

std::string Scheduler::ToString() const {
  std::string out;
  const auto append = [&](const char* state, const Sequence& sequence) {
    out += state + std::to_string(sequence.cache.order) + ": " +
           std::to_string(sequence.cache.computed) + " of " + std::to_string(sequence.size()) +
           " tokens, next " + std::to_string(sequence.cache.scheduled) + ", pages";
    for (const PageId page : sequence.cache.pages) out += " " + std::to_string(page);
    out += "\n";
  };
  for (const auto& sequence : running_) append("running ", *sequence);
  for (const auto& sequence : waiting_) append("waiting ", *sequence);
  return out;
}

void Scheduler::CheckIntegrity() const {
  std::vector<std::vector<PageId>> tables;
  for (const auto& sequence : running_) {
    CHECK(sequence->cache.computed < sequence->size());
    CHECK(static_cast<std::int64_t>(sequence->cache.pages.size()) >=
          PagesFor(sequence->cache.computed));
    tables.push_back(sequence->cache.pages);
  }
  for (const auto& sequence : waiting_) CHECK(sequence->cache.pages.empty());
  blocks_->CheckIntegrity(tables);
}

}  // namespace sglrun::engine
