#include "grammar/automaton/work.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sglrun::grammar {
namespace {

// Cells of 8 bytes: 128 MB at most for one operation.
constexpr std::size_t kMaxCells = 16'000'000;

}  // namespace

Work::Work(Budget& budget, const char* doing) : budget_(&budget), doing_(doing) {}

Work::~Work() {
  budget_->Charge(steps_ - charged_);
}

bool Work::Look() {
  const std::int64_t limit = budget_->limits().product_steps;
  if (steps_ >= limit) {
    error_ = {Verdict::kTooLarge,
              std::string(doing_) + " takes more than " + std::to_string(limit) + " steps"};
    return false;
  }
  if (auto spent = budget_->Spend(doing_, steps_ - std::exchange(charged_, steps_)); !spent.ok()) {
    error_ = spent.error();
    return false;
  }
  next_look_ = steps_ + std::min(limit - steps_, kStepsPerLook);
  return true;
}

bool Work::HasRoomFor(std::size_t states) {
  const auto limit = static_cast<std::size_t>(budget_->limits().automaton_states);
  if (states <= limit) return true;
  error_ = {Verdict::kTooLarge,
            std::string(doing_) + " needs more than " + std::to_string(limit) + " states"};
  return false;
}

bool Work::HasMemoryFor(std::size_t cells) {
  if (cells <= kMaxCells) return true;
  error_ = {Verdict::kTooLarge, std::string(doing_) + " needs an automaton with more than " +
                                    std::to_string(kMaxCells) + " transitions"};
  return false;
}

}  // namespace sglrun::grammar
