#include "grammar/automaton/work.h"

#include <string>

namespace sglrun::grammar {
namespace {

// Cells of 8 bytes: 128 MB at most for one operation.
constexpr std::size_t kMaxCells = 16'000'000;

}  // namespace

Work::Work(Budget& budget, const char* doing)
    : budget_(&budget),
      doing_(doing),
      end_(std::chrono::steady_clock::now() + budget.limits().product_time) {}

bool Work::LookAtClock() {
  steps_ = 0;
  if (std::chrono::steady_clock::now() >= end_) {
    error_ = {Verdict::kTooLarge, std::string(doing_) + " takes longer than " +
                                      std::to_string(budget_->limits().product_time.count()) +
                                      " ms"};
    steps_ = kStepsPerLook;
    return false;
  }
  if (auto spent = budget_->SpendNow(doing_); !spent.ok()) {
    error_ = spent.error();
    steps_ = kStepsPerLook;
    return false;
  }
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
