#include "engine/stop_automaton.h"

#include <algorithm>

#include "base/utf8.h"

namespace sglrun::engine {

using StepKind = StopProgram::Step::Kind;

bool StopAutomaton::Append(std::string_view text) {
  if (seen_.empty()) seen_.resize(program_->steps().size());
  for (std::size_t at = 0; at < text.size();) {
    if (Read(DecodeUtf8(text, at))) return true;
  }
  return MatchesHere();
}

// Whether a match ends before `character`; if none does, the matches that have begun take it.
bool StopAutomaton::Read(char32_t character) {
  const bool is_newline = character == '\n';
  const bool is_word = program_->asks_for_words() && program_->IsWord(character);
  place_.before_newline = is_newline;
  place_.before_word = is_word;
  last_begins_.clear();
  matched_before_last_ = false;
  if (is_newline && program_->asks_for_text_end()) {
    Place before_last = place_;
    before_last.before_last_newline = true;
    matched_before_last_ = Follow(begins_, before_last);
    Consume(character, last_begins_);
  }
  if (Follow(begins_, place_)) return true;
  Consume(character, begins_);
  place_ = {.at_start = false, .after_newline = is_newline, .after_word = is_word};
  return false;
}

bool StopAutomaton::MatchesHere() {
  Place end = place_;
  end.at_end = true;
  return matched_before_last_ || Follow(begins_, end) ||
         (!last_begins_.empty() && Follow(last_begins_, end));
}

bool StopAutomaton::Holds(StopAssertion assertion, const Place& place) {
  switch (assertion) {
    case StopAssertion::kTextStart:
      return place.at_start;
    case StopAssertion::kLineStart:
      // A newline at the very end begins no line.
      return place.at_start || (place.after_newline && !place.at_end);
    case StopAssertion::kTextEnd:
      return place.at_end || place.before_last_newline;
    case StopAssertion::kLineEnd:
      return place.at_end || place.before_newline;
    case StopAssertion::kVeryEnd:
      return place.at_end;
    case StopAssertion::kWordBoundary:
      return place.after_word != place.before_word;
    case StopAssertion::kNoWordBoundary:
      break;
  }
  return place.after_word == place.before_word;
}

// Collects in atoms_ the steps that wait for a character at this place; true when a match ends
// here.
bool StopAutomaton::Follow(const Steps& begins, const Place& place) {
  NewRound();
  atoms_.clear();
  pending_ = begins;
  pending_.push_back(program_->start());
  while (!pending_.empty()) {
    const std::uint32_t at = pending_.back();
    pending_.pop_back();
    if (!Visit(at)) continue;
    const StopProgram::Step& step = program_->steps()[at];
    switch (step.kind) {
      case StepKind::kMatch:
        return true;
      case StepKind::kAtom:
        atoms_.push_back(at);
        break;
      case StepKind::kSplit:
        pending_.push_back(step.other);
        pending_.push_back(step.next);
        break;
      case StepKind::kAssertion:
        if (Holds(step.assertion, place)) pending_.push_back(step.next);
        break;
    }
  }
  return false;
}

// What follows the steps in atoms_ that take the character.
void StopAutomaton::Consume(char32_t character, Steps& next) {
  NewRound();
  next.clear();
  for (const std::uint32_t at : atoms_) {
    const StopProgram::Step& step = program_->steps()[at];
    if (program_->Matches(step.atom, character) && Visit(step.next)) next.push_back(step.next);
  }
}

// False if this round has visited the step already.
bool StopAutomaton::Visit(std::uint32_t step) {
  return std::exchange(seen_[step], round_) != round_;
}

void StopAutomaton::NewRound() {
  if (++round_ != 0) return;
  std::ranges::fill(seen_, 0);
  round_ = 1;
}

}  // namespace sglrun::engine
