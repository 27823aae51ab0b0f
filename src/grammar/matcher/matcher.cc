#include "grammar/matcher/matcher.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "grammar/matcher/frontier.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/stacks.h"

namespace sglrun::grammar {
namespace {

void SetBit(std::span<std::uint32_t> words, std::int32_t id) {
  words[static_cast<std::size_t>(id) / 32] |= std::uint32_t{1} << (id % 32);
}

}  // namespace

struct Matcher::Impl {
  Impl(std::shared_ptr<const CompiledGrammar> g, std::shared_ptr<const Vocabulary> v)
      : grammar(std::move(g)),
        vocabulary(std::move(v)),
        stacks(grammar->program(), vocabulary->longest_text()) {
    stepper().Start(now);
  }

  Stepper stepper() { return {grammar->program(), stacks}; }

  // Steps `from` by all of the text; the number of bytes taken. `to` stands behind them.
  std::size_t Advance(const Frontier& from, std::string_view text, Frontier& to) {
    Stepper step = stepper();
    to = from;
    Frontier next;
    for (std::size_t i = 0; i < text.size(); ++i) {
      step.StepByte(to.items, static_cast<std::uint8_t>(text[i]), next);
      if (next.Dead() || TooLarge(step, next)) return i;
      std::swap(to, next);
    }
    return text.size();
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

  // Where `id` leads, as text or by a token element; dead when it does not fit.
  Frontier After(std::int32_t id) {
    Frontier by_text, by_token;
    const std::string_view text = vocabulary->Text(id);
    if (text.empty() || Advance(now, text, by_text) < text.size()) by_text = {};
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
  Stacks stacks;
  Frontier now;
  std::vector<Frontier> history;  // before each accepted token
  std::optional<GrammarError> failure;
};

Matcher::Matcher(std::shared_ptr<const CompiledGrammar> grammar,
                 std::shared_ptr<const Vocabulary> vocabulary)
    : impl_(std::make_unique<Impl>(std::move(grammar), std::move(vocabulary))) {}
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
    taken += fits;
    if (fits < part.size()) break;
  }
  return taken;
}

bool Matcher::AcceptToken(std::int32_t id) {
  if (impl_->failure) return false;
  Frontier to = impl_->After(id);
  if (to.Dead() || impl_->failure) return false;
  impl_->history.push_back(std::exchange(impl_->now, std::move(to)));
  return true;
}

void Matcher::Rollback(std::int64_t count) {
  CHECK(count >= 0 && count <= static_cast<std::int64_t>(impl_->history.size()));
  for (; count > 0; --count) {
    impl_->now = std::move(impl_->history.back());
    impl_->history.pop_back();
  }
  impl_->failure.reset();
}

Matcher::Mask Matcher::FillMask(std::span<std::uint32_t> words) {
  return FillMaskSlowly(words);
}

Matcher::Mask Matcher::FillMaskSlowly(std::span<std::uint32_t> words) const {
  std::fill(words.begin(), words.end(), 0);
  Impl trial = *impl_;
  bool any = false, all_text = true;
  for (std::int32_t id = 0; id < trial.vocabulary->logit_width(); ++id) {
    const bool fits = !trial.failure && !trial.After(id).Dead();
    if (fits) SetBit(words, id);
    any |= fits;
    all_text &= fits || !trial.vocabulary->IsText(id);
    trial.failure = impl_->failure;
  }
  return !any ? Mask::kNone : all_text ? Mask::kAllText : Mask::kSome;
}

std::string Matcher::ForcedBytes() const {
  constexpr std::size_t kMostBytes = 4096;
  Impl trial = *impl_;
  Stepper step = trial.stepper();
  const Program& program = trial.grammar->program();
  std::string forced;
  Frontier next;
  while (!trial.now.complete && forced.size() < kMostBytes) {
    int byte = -1;
    for (const Item& item : trial.now.items) {
      if (!program.TokensOf(item.state).empty()) return forced;
      for (const Program::ByteEdge& edge : program.BytesOf(item.state)) {
        if (edge.first != edge.last || (byte >= 0 && byte != edge.first)) return forced;
        byte = edge.first;
      }
    }
    if (byte < 0) return forced;
    step.StepByte(trial.now.items, static_cast<std::uint8_t>(byte), next);
    std::swap(trial.now, next);
    forced += static_cast<char>(byte);
  }
  return forced;
}

}  // namespace sglrun::grammar
