#include "grammar/matcher/frontier.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/hash.h"
#include "grammar/matcher/elements.h"

namespace sglrun::grammar {
namespace {

// Up to this many items a linear search is faster than a table.
constexpr std::size_t kFewItems = 16;

std::size_t HashOf(Item item) {
  return static_cast<std::size_t>(
      MixSeeds(static_cast<std::uint32_t>(item.state), static_cast<std::uint32_t>(item.stack)));
}

}  // namespace

void Stepper::Begin(Frontier& to) {
  to.items.clear();
  to.complete = to.left = to.unchecked = false;
  to_ = &to;
  pending_.clear();
  slots_.clear();
}

bool Stepper::IsNew(Item item) {
  std::vector<Item>& items = to_->items;
  if (items.size() < kFewItems) {
    return std::find(items.begin(), items.end(), item) == items.end();
  }
  const auto insert = [&](std::size_t index) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = HashOf(items[index]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(index) + 1;
  };
  if (slots_.size() < items.size() * 2 + 2) {
    slots_.assign(std::max<std::size_t>(slots_.size(), kFewItems) * 4, 0);
    for (std::size_t i = 0; i < items.size(); ++i) insert(i);
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = HashOf(item) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (items[static_cast<std::size_t>(slots_[slot]) - 1] == item) return false;
  }
  slots_[slot] = static_cast<std::int32_t>(items.size()) + 1;
  return true;
}

void Stepper::Add(Item item) {
  ++work_;
  if (IsNew(item)) to_->items.push_back(item);
}

void Stepper::Start(Frontier& to) {
  Begin(to);
  to.complete = program_.empty_text;
  if (program_.root >= 0) {
    CallAt(program_.root, {.target = Site::kRoot});
    MakeCalls();
  }
  Finish();
}

void Stepper::StepByte(std::span<const Item> from, std::uint8_t byte, Frontier& to) {
  Begin(to);
  for (const Item& item : from) {
    ++work_;
    for (const Program::ByteEdge& edge : program_.BytesOf(item.state)) {
      if (edge.first > byte) break;  // sorted by first
      if (byte > edge.last) continue;
      if (program_.state(item.state).counts_chars) {
        AddCounted(item, edge.target);
      } else {
        Add({edge.target, item.stack});
      }
    }
  }
  if (!to.items.empty()) Close();
}

// The places that the item returns to, with the character counted that the byte begins. Those whose
// limit the text can no longer keep are gone. Others may use an equal machine without a limit.
void Stepper::AddCounted(const Item& from, StateId target) {
  const auto sites = stacks_.SitesOf(from.stack);
  const std::int32_t begun = program_.state(from.state).inner ? 0 : 1;
  sites_.clear();
  for (Site site : sites) {
    ++work_;
    if (const Program::CountEdge* limit = stacks_.CharLimitOf(site)) {
      site.done += begun;
      if (!program_.CanEnd(*limit, target, site.done)) continue;
    }
    sites_.push_back(site);
  }
  if (!sites_.empty()) Add({target, stacks_.Intern(sites_)});
}

bool Stepper::MayTake(const Item& from, const Program::ByteEdge& edge) const {
  const Program::State& state = program_.state(from.state);
  if (!state.counts_chars) return true;
  return std::ranges::any_of(stacks_.SitesOf(from.stack), [&](const Site& site) {
    const Program::CountEdge* limit = stacks_.CharLimitOf(site);
    return limit == nullptr ||
           program_.CanEnd(*limit, edge.target, site.done + (state.inner ? 0 : 1));
  });
}

// Whether another byte may follow in its machine.
bool Stepper::GoesOn(const Item& item) const {
  const Program::State& state = program_.state(item.state);
  if (!state.counts_chars) return true;
  return std::ranges::any_of(stacks_.SitesOf(item.stack), [&](const Site& site) {
    const Program::CountEdge* limit = stacks_.CharLimitOf(site);
    return limit == nullptr || program_.CanEnd(*limit, item.state, site.done, state.inner ? 0 : 1);
  });
}

void Stepper::StepToken(std::span<const Item> from, std::int32_t token, Frontier& to) {
  Begin(to);
  for (const Item& item : from) {
    for (const Program::TokenEdge& edge : program_.TokensOf(item.state)) {
      if (program_.token_sets[static_cast<std::size_t>(edge.set)].Contains(token)) {
        Add({edge.target, item.stack});
      }
    }
  }
  if (!to.items.empty()) Close();
}

void Stepper::Return(std::span<const Site> sites, Frontier& to) {
  Begin(to);
  for (const Site& site : sites) ReturnTo(site);
  Close();
}

// First everything that has ended returns, then everything that can be called is called. A call
// takes a symbol at least, so no call of this step returns in it, and machines are numbered so that
// all calls of one are known when its turn comes.
void Stepper::Close() {
  for (std::size_t i = 0; i < to_->items.size(); ++i) {
    const Item item = to_->items[i];
    if (!program_.state(item.state).accepting) continue;
    // The end of an element interns, which moves the sites.
    const std::size_t sites = stacks_.SitesOf(item.stack).size();
    for (std::size_t s = 0; s < sites; ++s) {
      const Site site = stacks_.SitesOf(item.stack)[s];
      ReturnTo(site);
    }
  }
  const std::size_t returned = to_->items.size();
  for (std::size_t i = 0; i < returned; ++i) CallFrom(to_->items[i]);
  MakeCalls();
  Finish();
}

void Stepper::Finish() {
  // States that only end or call have nothing of their own left to say.
  std::erase_if(to_->items, [&](const Item& item) {
    const Program::State& state = program_.state(item.state);
    const Program::State& next = program_.state(item.state + 1);
    return (state.bytes == next.bytes && state.tokens == next.tokens) || !GoesOn(item);
  });
  std::sort(to_->items.begin(), to_->items.end());
}

void Stepper::ReturnTo(const Site& site) {
  ++work_;
  if (site.target >= 0) return Add({site.target, site.below});
  if (site.target == Site::kRoot) {
    to_->complete = true;
  } else if (site.target == Site::kOpen) {
    to_->left = true;
  } else {
    const Program::CountEdge& edge =
        program_.count_edges[static_cast<std::size_t>(site.count_edge())];
    if (edge.element) return EndElement(site, edge.target);
    if (edge.of_tokens() || edge.distinct) return Add({edge.target, site.below});
    if (edge.of_chars()) {
      if (site.done >= edge.min) Add({edge.target, site.below});
      return;
    }
    const std::int64_t done = static_cast<std::int64_t>(site.done) + 1;
    if (done >= edge.min) Add({edge.target, site.below});
    if (edge.max != kUnbounded && done >= edge.max) return;
    // Without an upper bound all counts past the lower one are alike.
    Site next = site;
    next.done = static_cast<std::int32_t>(edge.max == kUnbounded ? std::min(done, edge.min) : done);
    CallAt(edge.body, next);
  }
}

// The value goes on the lists of those seen, unless it is there already.
void Stepper::EndElement(const Site& site, StateId target) {
  if (text_ == nullptr) {
    to_->unchecked = true;
    return Add({target, site.below});
  }
  const std::string_view text =
      std::string_view(*text_).substr(static_cast<std::size_t>(site.done));
  const Hash128 key = KeyOfElement(text);
  work_ += static_cast<std::int64_t>(text.size());
  const auto lists = stacks_.SitesOf(site.below);
  std::vector<Site> sites(lists.begin(), lists.end());
  std::erase_if(sites, [&](const Site& list) { return stacks_.HasSeen(list.done, key); });
  for (Site& list : sites) list.done = stacks_.AddSeen(list.done, key, WithoutSpace(text));
  if (sites.empty()) return;
  std::sort(sites.begin(), sites.end());
  Add({target, stacks_.Intern(sites)});
}

void Stepper::CallAt(MachineId machine, const Site& site) {
  ++work_;
  pending_.push_back({machine, site});
  std::push_heap(pending_.begin(), pending_.end(), std::greater<>());
}

void Stepper::CallFrom(Item item) {
  for (const Program::Call& call : program_.CallsOf(item.state)) {
    if (!call.last) {
      CallAt(call.machine, {.target = call.target, .below = item.stack});
      continue;
    }
    // Whatever the callee ends, its caller ends too. Copied: CallAt leaves the stacks alone.
    for (const Site& site : stacks_.SitesOf(item.stack)) CallAt(call.machine, site);
  }
  const std::int32_t end = program_.state(item.state + 1).counts;
  for (std::int32_t edge = program_.state(item.state).counts; edge < end; ++edge) {
    const Program::CountEdge& count = program_.count_edges[static_cast<std::size_t>(edge)];
    Site site{.target = Site::OfCount(edge), .below = item.stack};
    if (count.element && text_ != nullptr) site.done = static_cast<std::int32_t>(text_->size());
    to_->unchecked |= count.element && text_ == nullptr;
    CallAt(count.body, site);
  }
}

// Of two counts that lead to one place and need no more than the member under way, the one that has
// done less can do all that the other can: without the others, counts inside counts have no more
// readings than there are places.
void Stepper::DropNeedlessCounts() {
  // Counted repetitions come first.
  if (sites_.size() < 2 || !sites_[1].IsCount()) return;
  std::sort(sites_.begin(), sites_.end(), [](const Site& a, const Site& b) {
    return std::tie(a.target, a.below, a.done) < std::tie(b.target, b.below, b.done);
  });
  std::size_t kept = 1;
  for (std::size_t i = 1; i < sites_.size(); ++i) {
    const Site& before = sites_[kept - 1];
    const Site site = sites_[i];
    if (site.IsCount() && before.target == site.target && before.below == site.below) {
      const Program::CountEdge& edge =
          program_.count_edges[static_cast<std::size_t>(site.count_edge())];
      if (!edge.of_tokens() && !edge.of_values() && before.done + std::int64_t{1} >= edge.min)
        continue;
    }
    sites_[kept++] = site;
  }
  sites_.resize(kept);
  std::sort(sites_.begin(), sites_.end());
}

void Stepper::MakeCalls() {
  while (!pending_.empty()) {
    const MachineId machine = pending_.front().machine;
    sites_.clear();
    while (!pending_.empty() && pending_.front().machine == machine) {
      const Site site = pending_.front().site;
      std::pop_heap(pending_.begin(), pending_.end(), std::greater<>());
      pending_.pop_back();
      if (sites_.empty() || sites_.back() != site) sites_.push_back(site);
    }
    // The heap gave them in order.
    DropNeedlessCounts();
    const Item item{program_.machines[static_cast<std::size_t>(machine)].start,
                    stacks_.Intern(sites_)};
    Add(item);
    CallFrom(item);
  }
}

}  // namespace sglrun::grammar
