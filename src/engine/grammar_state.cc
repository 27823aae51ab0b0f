#include "engine/grammar_state.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace sglrun::engine {

namespace {

std::string ParamOf(ConstraintKind kind) {
  return "sampling_params." + std::string(ConstraintName(kind));
}

}  // namespace

RecordError RefusedConstraint(ConstraintKind kind, const grammar::GrammarError& error) {
  return RecordError{"failed to compile the " + std::string(ConstraintName(kind)) + " grammar (" +
                         grammar::VerdictName(error.verdict) + "): " + error.message,
                     ParamOf(kind)};
}

bool GrammarState::Bit(std::int32_t token) const {
  return (mask_[static_cast<std::size_t>(token / 32)] >> (token % 32) & 1) != 0;
}

void GrammarState::SetBit(std::int32_t token, bool value) {
  std::uint32_t& word = mask_[static_cast<std::size_t>(token / 32)];
  const std::uint32_t bit = 1u << (token % 32);
  word = value ? word | bit : word & ~bit;
}

std::optional<RecordError> GrammarState::Start(
    std::shared_ptr<const grammar::Vocabulary> vocabulary) {
  const grammar::ConstraintOutcome& outcome = setup_.pending->outcome();
  if (!outcome.ok()) return RefusedConstraint(setup_.kind, outcome.error());
  vocabulary_ = std::move(vocabulary);
  matcher_.emplace(outcome->grammar, vocabulary_, setup_.first_space);
  mask_.resize(static_cast<std::size_t>(vocabulary_->words_per_mask()));
  const auto add = [this](std::int32_t id) {
    const bool known = id >= 0 && id < vocabulary_->logit_width() && vocabulary_->IsToken(id);
    if (known && std::ranges::find(ends_, id) == ends_.end()) ends_.push_back(id);
  };
  for (const std::int32_t id : setup_.model_ends) add(id);
  for (const std::int32_t id : setup_.request_ends) {
    if (id >= 0 && id < vocabulary_->logit_width() && !vocabulary_->IsText(id)) add(id);
  }
  Prepare();
  return std::nullopt;
}

bool GrammarState::Ends(std::int32_t token) const {
  if (thinks()) return false;
  if (std::ranges::find(ends_, token) == ends_.end()) return false;
  if (matcher_->IsComplete()) return true;
  grammar::Matcher after = *matcher_;  // the last token element of the text
  return after.AcceptToken(token) && after.IsComplete();
}

bool GrammarState::IsMember(std::string_view text) const {
  if (!matcher_) return false;
  grammar::Matcher matcher(setup_.pending->outcome()->grammar, vocabulary_);
  return matcher.AcceptBytes(text) == text.size() && matcher.IsComplete();
}

bool GrammarState::Takes(std::int32_t token) {
  return !thinks() && matcher_->Takes(token);
}

void GrammarState::Accept(std::int32_t token) {
  prepared_ = false;
  if (thinks()) return Think(token);
  matcher_->AcceptToken(token);
}

void GrammarState::Think(std::int32_t token) {
  setup_.thinking->Take(token);
  // If thoughts precede the answer, the answer is not at the beginning of the text.
  if (setup_.shows_specials || vocabulary_->IsText(token)) {
    setup_.first_space = grammar::Matcher::FirstSpace::kKept;
  }
  if (thinks()) return;
  matcher_.emplace(setup_.pending->outcome()->grammar, vocabulary_, setup_.first_space);
}

// An end token is allowed if the text is complete, or if the end token is a token element that
// completes it.
void GrammarState::AllowEnds() {
  const bool is_complete = matcher_->IsComplete();
  for (const std::int32_t end : ends_) {
    if (is_complete) {
      SetBit(end, true);
    } else if (Bit(end)) {
      SetBit(end, Ends(end));
    }
  }
}

void GrammarState::PrepareThinking() {
  next_ = Next::kSeveral;
  if (is_free()) return;
  std::ranges::fill(mask_, 0);
  only_token_ = setup_.thinking->forced();
  SetBit(only_token_, true);
  next_ = Next::kOne;
}

void GrammarState::CountBytes(std::int64_t bytes) {
  if (setup_.all_bytes == nullptr) return;
  *setup_.all_bytes += bytes - std::exchange(counted_bytes_, bytes);
}

void GrammarState::Prepare() {
  prepared_ = true;
  if (thinks()) return PrepareThinking();
  matcher_->FillMask(mask_);
  CountBytes(
      static_cast<std::int64_t>(matcher_->MemoryBytes() + mask_.size() * sizeof(std::uint32_t)));
  if (matcher_->failure()) {
    next_ = Next::kNone;
    return;
  }
  const bool is_complete = matcher_->IsComplete();
  if (is_complete) {
    for (const std::int32_t end : ends_) SetBit(end, false);
  }
  if (std::ranges::all_of(mask_, [](std::uint32_t word) { return word == 0; })) {
    next_ = is_complete ? Next::kEnd : Next::kNone;
    // Only one end token, so that drawing it and ending without a draw give the same result.
    if (is_complete && !ends_.empty()) SetBit(ends_.front(), true);
    return;
  }
  AllowEnds();
  CountAllowed();
}

void GrammarState::CountAllowed() {
  int allowed = 0;
  for (std::size_t word = 0; word < mask_.size(); ++word) {
    if (mask_[word] == 0) continue;
    allowed += std::popcount(mask_[word]);
    only_token_ = static_cast<std::int32_t>(word * 32) + std::countr_zero(mask_[word]);
    if (allowed > 1) break;
  }
  const bool is_end = std::ranges::find(ends_, only_token_) != ends_.end();
  next_ = Next::kSeveral;
  if (allowed == 0) next_ = Next::kNone;
  if (allowed == 1 && !is_end) next_ = Next::kOne;
}

RecordError GrammarState::failure(const std::string& place) const {
  if (matcher_->failure()) {
    return RecordError{
        matcher_->failure()->message + " (" + place + " under " + ParamOf(setup_.kind) + ")",
        ParamOf(setup_.kind)};
  }
  return RecordError{"no token of the vocabulary can be " + place + " under " +
                         ParamOf(setup_.kind) + ": the text cannot be continued",
                     ParamOf(setup_.kind)};
}

}  // namespace sglrun::engine
