#include "grammar/json_schema/object_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sglrun::grammar {
namespace {

GrammarError TooManyOrders(const std::string& what) {
  return {Verdict::kTooLarge, "an object " + what};
}

}  // namespace

Result<ObjectOrder, GrammarError> ObjectOrder::Of(const ObjectPlan& plan, bool any_order,
                                                  bool repeats) {
  ObjectOrder order;
  order.bit_of_.assign(plan.keys.size(), -1);
  order.decided_at_.assign(plan.keys.size(), 0);
  SGLRUN_RETURN_IF_ERROR(order.FindDependencies(plan));
  SGLRUN_RETURN_IF_ERROR(order.PartKeys(plan, any_order));
  SGLRUN_RETURN_IF_ERROR(order.FindCounts(plan, repeats));
  return order;
}

Result<void, GrammarError> ObjectOrder::FindDependencies(const ObjectPlan& plan) {
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < plan.keys.size(); ++i) index.emplace(plan.keys[i].name, i);
  for (const formula::DependentRequired* dependent : plan.dependent) {
    Dependency one{index.at(dependent->name), {}};
    Track(one.key);
    for (const std::string& name : dependent->names) {
      Track(index.at(name));
      one.needs.push_back(index.at(name));
    }
    dependencies_.push_back(std::move(one));
  }
  if (tracked_ > kMostTracked) return TooManyOrders("has more than 16 properties in dependencies");
  return {};
}

Result<void, GrammarError> ObjectOrder::PartKeys(const ObjectPlan& plan, bool any_order) {
  std::size_t in_loop = 0;
  for (std::size_t i = 0; i < plan.keys.size(); ++i) {
    const ObjectPlan::Key& key = plan.keys[i];
    if (key.value == kFalse && !key.required) continue;
    const bool anywhere = any_order || key.anywhere;
    const bool tracks = any_order || key.required || bit_of_[i] >= 0;
    if (any_order && in_loop == kMostInAnyOrder) {
      return TooManyOrders("has more than 12 named properties in any order");
    }
    if (!anywhere || (tracks && in_loop == kMostInAnyOrder)) {
      decided_at_[i] = chain_.size() + 1;
      chain_.push_back(i);
      continue;
    }
    decided_at_[i] = kNever;
    if (tracks) Track(i);
    in_loop += tracks ? 1 : 0;
    loop_.push_back(i);
  }
  if (tracked_ > 31) return TooManyOrders("has too many properties in any order");
  return {};
}

Result<void, GrammarError> ObjectOrder::FindCounts(const ObjectPlan& plan, bool repeats) {
  constexpr std::int64_t kMostCounted = 256;
  repeats_ = repeats;
  for (const std::size_t i : loop_) repeats_ |= bit_of_[i] < 0;
  const auto named = static_cast<std::int64_t>(chain_.size() + loop_.size());
  min_ = plan.min <= plan.required ? 0 : plan.min;
  if (plan.max && (repeats_ || named > *plan.max)) max_ = plan.max;
  counted_ = max_ ? *max_ : min_;
  const auto in_chain = static_cast<std::int64_t>(chain_.size());
  const bool only_counts = loop_.empty() && plan.some.empty() && !plan.CountsOthers();
  if (counted_ > kMostCounted && in_chain <= kMostCounted && only_counts) {
    others_are_counted_ = true;
    counted_ = in_chain;
  }
  if (counted_ > kMostCounted) return TooManyOrders("counts more than 256 properties");
  return {};
}

bool ObjectOrder::Broken(const Dependency& dependency, std::uint32_t seen) const {
  return Seen(dependency.key, seen) &&
         !std::all_of(dependency.needs.begin(), dependency.needs.end(),
                      [&](std::size_t need) { return Seen(need, seen); });
}

bool ObjectOrder::AnyBroken(std::uint32_t seen) const {
  return std::any_of(dependencies_.begin(), dependencies_.end(),
                     [&](const Dependency& dependency) { return Broken(dependency, seen); });
}

bool ObjectOrder::Settle(std::size_t at, std::uint32_t& seen) const {
  if (dependencies_.empty()) return true;
  std::uint32_t live = 0;
  for (const std::size_t key : loop_) {
    if (bit_of_[key] >= 0) live |= 1U << bit_of_[key];
  }
  for (const Dependency& d : dependencies_) {
    bool decided = !Undecided(d.key, at);
    for (const std::size_t need : d.needs) decided = decided && !Undecided(need, at);
    if (decided) {
      if (Broken(d, seen)) return false;
      continue;
    }
    live |= 1U << bit_of_[d.key];
    for (const std::size_t need : d.needs) live |= 1U << bit_of_[need];
  }
  seen &= live;
  return true;
}

}  // namespace sglrun::grammar
