// The order of an object's keys: a chain of named keys, then a loop of keys that may occur
// anywhere; and the information that must be remembered, which most objects do not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "grammar/json_schema/object_plan.h"

namespace sglrun::grammar {

class ObjectOrder {
 public:
  // `repeats`: keys that the schema does not name are possible. kTooLarge when there is too much to
  // remember.
  static Result<ObjectOrder, GrammarError> Of(const ObjectPlan& plan, bool any_order, bool repeats);

  // Indices into plan.keys.
  const std::vector<std::size_t>& chain() const { return chain_; }
  const std::vector<std::size_t>& loop() const { return loop_; }
  // Bit of a key in the set of seen keys; -1 if it need not be remembered.
  int bit_of(std::size_t key) const { return bit_of_[key]; }
  std::int64_t min() const { return min_; }                 // 0 where required keys are enough
  bool repeats() const { return repeats_; }                 // some key may come twice
  std::optional<std::int64_t> max() const { return max_; }  // where it can be passed at all
  std::int64_t counted() const { return counted_; }         // counts beyond are alike
  // Counts are too large to be remembered, and nothing else must be among the keys that the schema
  // does not name: those are a repetition with bounds after the chain.
  bool others_are_counted() const { return others_are_counted_; }

  bool Seen(std::size_t key, std::uint32_t seen) const {
    return bit_of_[key] >= 0 && (seen >> bit_of_[key] & 1U) != 0;
  }
  // Whether a named key may occur twice: among further keys, if it need not be remembered.
  bool Repeats(std::size_t key) const { return bit_of_[key] < 0 && decided_at_[key] == kNever; }
  // Some key is there without one that it depends on.
  bool AnyBroken(std::uint32_t seen) const;
  // At a position of the chain: forgets keys that no dependency needs any more; false if a
  // dependency is already violated.
  bool Settle(std::size_t at, std::uint32_t& seen) const;

 private:
  static constexpr int kMostTracked = 16;
  static constexpr std::size_t kMostInAnyOrder = 12;
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  struct Dependency {
    std::size_t key;
    std::vector<std::size_t> needs;
  };

  Result<void, GrammarError> FindDependencies(const ObjectPlan& plan);
  Result<void, GrammarError> PartKeys(const ObjectPlan& plan, bool any_order);
  Result<void, GrammarError> FindCounts(const ObjectPlan& plan, bool repeats);
  void Track(std::size_t key) {
    if (bit_of_[key] < 0) bit_of_[key] = tracked_++;
  }
  bool Undecided(std::size_t key, std::size_t at) const { return at < decided_at_[key]; }
  bool Broken(const Dependency& dependency, std::uint32_t seen) const;

  std::vector<std::size_t> chain_, loop_;
  std::vector<int> bit_of_;
  int tracked_ = 0;
  std::vector<std::size_t> decided_at_;  // position from which it is known whether a key is there
  std::vector<Dependency> dependencies_;
  std::int64_t min_ = 0, counted_ = 0;
  bool repeats_ = false;
  bool others_are_counted_ = false;
  std::optional<std::int64_t> max_;
};

}  // namespace sglrun::grammar
