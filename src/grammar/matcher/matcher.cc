#include "grammar/matcher/matcher.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "grammar/matcher/elements.h"
#include "grammar/matcher/frontier.h"
#include "grammar/matcher/id_set.h"
#include "grammar/matcher/mask_builder.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/stacks.h"

namespace sglrun::grammar {
namespace {

Shape ShapeOf(const Frontier& frontier, const Stacks& stacks) {
  Shape shape{frontier.items.size(), frontier.items.size()};
  for (const Item& item : frontier.items) {
    const auto state = static_cast<std::uint64_t>(item.state);
    const Shape part = MixShapes({state, state + 1}, stacks.ShapeOf(item.stack));
    shape.a += part.a;
    shape.b += part.b;
  }
  return shape;
}

Matcher::Mask KindOf(std::span<const std::uint32_t> words, const Vocabulary& vocabulary) {
  const std::span<const std::uint32_t> text = vocabulary.text_mask();
  std::uint32_t some = 0, lacking = 0;  // bits: without branches, many words at once
  for (std::size_t w = 0; w < words.size(); ++w) {
    some |= words[w];
    lacking |= text[w] & ~words[w];
  }
  if (some == 0) return Matcher::Mask::kNone;
  return lacking == 0 ? Matcher::Mask::kAllText : Matcher::Mask::kSome;
}

}  // namespace

struct Matcher::Impl {
  Impl(std::shared_ptr<const CompiledGrammar> g, std::shared_ptr<const Vocabulary> v,
       FirstSpace first_space)
      : grammar(std::move(g)),
        vocabulary(std::move(v)),
        masks(grammar->masks(vocabulary)),
        stacks(grammar->program(), vocabulary->longest_text()),
        drops_space(first_space == FirstSpace::kDropped) {
    Stepper first = stepper();
    first.Start(now);
    TooLarge(first, now);
    steps = first.work();
  }

  Stepper stepper() { return {grammar->program(), stacks, &text}; }
  bool keeps_text() const { return grammar->program().has_distinct; }

  // Steps `from` by the bytes; returns how many were accepted. `to` is the state after them.
  std::size_t Advance(const Frontier& from, std::string_view bytes, Frontier& to) {
    Stepper step = stepper();
    to = from;
    Frontier next;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (keeps_text()) text += bytes[i];
      step.StepByte(to.items, static_cast<std::uint8_t>(bytes[i]), next);
      if (next.Dead() || TooLarge(step, next)) {
        if (keeps_text()) text.pop_back();
        steps += step.work();
        return i;
      }
      std::swap(to, next);
    }
    steps += step.work();
    return bytes.size();
  }

  // Whether elements that must differ leave a way to the end of a member.
  bool CanGoOn(const Frontier& frontier) {
    if (!keeps_text() || frontier.Dead()) return true;
    ElementSearch search(grammar->program(), stacks, text);
    const bool can = search.CanGoOn(frontier);
    steps += search.work();
    return can;
  }
  bool HoldsDistinct() const {
    return std::ranges::any_of(now.items,
                               [&](const Item& item) { return stacks.HoldsDistinct(item.stack); });
  }

  bool TooLarge(const Stepper& step, const Frontier& frontier) {
    const Limits& limits = grammar->limits();
    if (frontier.items.size() > limits.frontier_items) {
      failure = GrammarError{Verdict::kTooLarge, "the text so far can be read in more than " +
                                                     std::to_string(limits.frontier_items) +
                                                     " ways at once"};
    } else if (step.work() > limits.steps_per_token) {
      failure =
          GrammarError{Verdict::kTooLarge, "matching a token takes more than " +
                                               std::to_string(limits.steps_per_token) + " steps"};
    }
    return failure.has_value();
  }

  std::int64_t MostSteps() const {
    const Limits& limits = grammar->limits();
    return limits.steps_per_text + tokens * limits.more_steps_per_token;
  }
  void FailForSteps() {
    failure = GrammarError{Verdict::kTooLarge, "matching the text so far takes more than " +
                                                   std::to_string(MostSteps()) + " steps"};
  }

  // A token, or as many bytes, has been taken.
  void Settle() {
    ++tokens;
    if (steps > MostSteps()) FailForSteps();
    if (stacks.bytes() < next_cleaning) return;
    std::vector<StackId*> used;
    for (Item& item : now.items) used.push_back(&item.stack);
    stacks.KeepOnly(used);
    std::sort(now.items.begin(), now.items.end());
    next_cleaning = std::max(kFirstCleaning, 2 * stacks.bytes());
    const std::size_t most = grammar->limits().matcher_bytes;
    if (stacks.bytes() <= most) return;
    failure = GrammarError{Verdict::kTooLarge, "the parse state of the text so far takes " +
                                                   std::to_string(stacks.bytes()) +
                                                   " bytes, the limit is " + std::to_string(most)};
  }

  // Each place of the text pays once for what finding its mask takes, known before or not.
  void PayForMask(const Shape& shape, std::int64_t work) {
    if (paid.insert(shape.a).second) Pay(work);
  }
  void Pay(std::int64_t work) {
    steps += work;
    if (steps > MostSteps()) FailForSteps();
  }

  // A token has been taken: counts it where a limit of tokens holds. A member that has used up its
  // tokens continues only to the next place where it can end.
  void CountToken(Frontier& frontier) {
    const Program& program = grammar->program();
    std::vector<Item> items;
    for (const Item& item : frontier.items) {
      const Program::MachineInfo& machine =
          program.machines[static_cast<std::size_t>(program.state(item.state).machine)];
      // Nothing of the token lies in a member that is only about to begin.
      if (!machine.has_token_limit || item.state == machine.start) {
        items.push_back(item);
        continue;
      }
      std::vector<Site> open, closing;
      StateId closing_state = -1;
      for (Site site : stacks.SitesOf(item.stack)) {
        const Program::CountEdge* edge = nullptr;
        if (site.IsCount()) {
          edge = &program.count_edges[static_cast<std::size_t>(site.count_edge())];
        }
        if (edge == nullptr || !edge->of_tokens()) {
          open.push_back(site);
        } else if (++site.done < edge->max) {
          open.push_back(site);
        } else {
          closing.push_back(site);
          closing_state = edge->closing + (item.state - machine.start);
        }
      }
      if (!open.empty()) items.push_back({item.state, Interned(std::move(open))});
      if (!closing.empty() && !program.BytesOf(closing_state).empty()) {
        items.push_back({closing_state, Interned(std::move(closing))});
      }
    }
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    frontier.items = std::move(items);
  }
  StackId Interned(std::vector<Site> sites) {
    std::sort(sites.begin(), sites.end());
    return stacks.Intern(sites);
  }

  // The bytes that a token adds to the text.
  std::string_view BytesOf(std::int32_t id) const {
    std::string_view bytes = vocabulary->Text(id);
    if (drops_space && bytes.starts_with(' ')) bytes.remove_prefix(1);
    return bytes;
  }

  // Where `id` leads, as text or by a token element; dead when it does not fit.
  Frontier After(std::int32_t id) {
    Frontier by_text, by_token;
    const std::string_view bytes = BytesOf(id);
    const std::size_t length = text.size();
    const bool fits = vocabulary->IsText(id) && Advance(now, bytes, by_text) == bytes.size();
    if (!fits || !CanGoOn(by_text)) by_text = {};
    text.resize(length);
    if (!grammar->program().token_edges.empty() && vocabulary->IsToken(id)) {
      stepper().StepToken(now.items, id, by_token);
    }
    Merge(by_token, by_text);
    return by_text;
  }
  static void Merge(const Frontier& from, Frontier& into) {
    if (from.Dead()) return;
    into.items.insert(into.items.end(), from.items.begin(), from.items.end());
    std::sort(into.items.begin(), into.items.end());
    into.items.erase(std::unique(into.items.begin(), into.items.end()), into.items.end());
    into.complete |= from.complete;
  }

  std::shared_ptr<const CompiledGrammar> grammar;
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<MaskCache> masks;
  std::string text;  // so far, where elements must differ
  Stacks stacks;
  Frontier now;
  bool drops_space = false;  // the next text token loses a leading space
  std::optional<GrammarError> failure;

  static constexpr std::size_t kFirstCleaning = std::size_t{64} << 10;
  std::size_t next_cleaning = kFirstCleaning;  // bytes of the stacks at which to look for garbage
  std::int64_t steps = 0, tokens = 0;          // so far
  std::unordered_set<std::uint64_t> paid;      // places whose masks have been asked for
};

Matcher::Matcher(std::shared_ptr<const CompiledGrammar> grammar,
                 std::shared_ptr<const Vocabulary> vocabulary, FirstSpace first_space)
    : impl_(std::make_unique<Impl>(std::move(grammar), std::move(vocabulary), first_space)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(const Matcher& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Matcher& Matcher::operator=(const Matcher& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

bool Matcher::IsComplete() const {
  return impl_->now.complete;
}
bool Matcher::CanContinue() const {
  return !impl_->now.items.empty();
}
const std::optional<GrammarError>& Matcher::failure() const {
  return impl_->failure;
}

std::size_t Matcher::AcceptBytes(std::string_view bytes) {
  if (impl_->failure) return 0;
  constexpr std::size_t kAtOnce = 16;  // so that the limit of a token is not that of a long text
  Frontier to;
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view part = bytes.substr(taken, kAtOnce);
    const std::size_t fits = impl_->Advance(impl_->now, part, to);
    std::swap(impl_->now, to);
    impl_->Settle();
    taken += fits;
    if (fits < part.size()) break;
  }
  return taken;
}

bool Matcher::AcceptToken(std::int32_t id) {
  if (impl_->failure) return false;
  Frontier to = impl_->After(id);
  if (to.Dead() || impl_->failure) return false;
  if (impl_->grammar->program().has_token_limits) impl_->CountToken(to);
  if (impl_->keeps_text()) impl_->text += impl_->BytesOf(id);
  impl_->now = std::move(to);
  impl_->drops_space &= !impl_->vocabulary->IsText(id);
  impl_->Settle();
  return true;
}

bool Matcher::Takes(std::int32_t id) {
  if (impl_->failure) return false;
  const Stacks::Position mark = impl_->stacks.Mark();
  const bool fits = !impl_->After(id).Dead() && !impl_->failure;
  impl_->stacks.Release(mark);
  impl_->failure.reset();
  return fits;
}

Matcher::Mask Matcher::FillMask(std::span<std::uint32_t> words) {
  const Vocabulary& vocabulary = *impl_->vocabulary;
  const Shape shape = ShapeOf(impl_->now, impl_->stacks);
  RowCache& rows = impl_->masks->rows();
  // The first token comes once; where elements must differ, the shape says nothing of the text.
  const bool cached = !impl_->drops_space && !impl_->HoldsDistinct();
  if (!impl_->failure && cached) {
    if (const auto known = rows.Find(shape, words)) {
      impl_->PayForMask(shape, known->work);
      if (!impl_->failure) return known->kind;
    }
  }
  std::fill(words.begin(), words.end(), 0);
  if (impl_->failure) return Mask::kNone;
  const Stacks::Position mark = impl_->stacks.Mark();
  MaskBuilder builder(impl_->grammar->program(), impl_->stacks, *impl_->masks,
                      impl_->grammar->limits(), impl_->MostSteps(), impl_->text);
  const bool done = impl_->drops_space ? builder.FillWithoutSpace(impl_->now, words)
                                       : builder.Fill(impl_->now, words);
  impl_->stacks.Release(mark);
  if (!done) {
    impl_->failure = GrammarError{
        Verdict::kTooLarge, "finding the next tokens takes more than " +
                                std::to_string(FrontierDfa::MostSteps(impl_->grammar->limits())) +
                                " steps"};
  } else if (cached || impl_->drops_space) {
    impl_->PayForMask(shape, builder.work());
  } else {
    impl_->Pay(builder.work());
  }
  if (impl_->failure) {
    std::fill(words.begin(), words.end(), 0);
    return Mask::kNone;
  }
  const Mask kind = KindOf(words, vocabulary);
  if (cached) rows.Add(shape, {kind, builder.work()}, words);
  return kind;
}

std::optional<Matcher::Mask> Matcher::FillMaskSlowly(std::span<std::uint32_t> words) const {
  std::fill(words.begin(), words.end(), 0);
  Impl trial = *impl_;
  const Stacks::Position mark = trial.stacks.Mark();
  bool within_limits = true;
  for (std::int32_t id = 0; id < trial.vocabulary->logit_width(); ++id) {
    if (!trial.failure && !trial.After(id).Dead()) SetBit(words, id);
    within_limits &= !trial.failure;
    trial.failure = impl_->failure;
    trial.stacks.Release(mark);
  }
  if (!within_limits) return std::nullopt;
  return KindOf(words, *impl_->vocabulary);
}

std::string Matcher::ForcedBytes() const {
  constexpr std::size_t kMostBytes = 4096;
  Stepper step = impl_->stepper();
  const Program& program = impl_->grammar->program();
  const Limits& limits = impl_->grammar->limits();
  const Stacks::Position mark = impl_->stacks.Mark();
  const std::size_t length = impl_->text.size();
  const auto only_byte = [&](const Frontier& at) {
    int byte = -1;
    for (const Item& item : at.items) {
      if (!program.TokensOf(item.state).empty()) return -1;
      for (const Program::ByteEdge& edge : program.BytesOf(item.state)) {
        if (!step.MayTake(item, edge)) continue;
        if (edge.first != edge.last || (byte >= 0 && byte != edge.first)) return -1;
        byte = edge.first;
      }
    }
    return byte;
  };
  std::string forced;
  Frontier at = impl_->now, next;
  while (!impl_->failure && !at.complete && forced.size() < kMostBytes) {
    const int byte = only_byte(at);
    if (byte < 0) break;
    if (impl_->keeps_text()) impl_->text += static_cast<char>(byte);
    step.StepByte(at.items, static_cast<std::uint8_t>(byte), next);
    if (step.work() > limits.steps_per_token || next.items.size() > limits.frontier_items) break;
    std::swap(at, next);
    forced += static_cast<char>(byte);
  }
  impl_->stacks.Release(mark);
  impl_->text.resize(length);
  return forced;
}

std::int64_t Matcher::steps() const {
  return impl_->steps;
}

std::size_t Matcher::MemoryBytes() const {
  constexpr std::size_t kPerPaid = 48;  // a node of the set and its share of the buckets
  return sizeof(Impl) + impl_->text.capacity() + impl_->stacks.bytes() +
         impl_->now.items.capacity() * sizeof(Item) + impl_->paid.size() * kPerPaid;
}

}  // namespace sglrun::grammar
