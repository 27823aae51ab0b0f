#include "grammar/json_schema/array_plan.h"

#include <algorithm>
#include <utility>

namespace sglrun::grammar {
namespace {

struct Sorted {
  std::vector<const formula::Items*> items;
  std::vector<const formula::UnevaluatedItems*> unevaluated;
  bool closed = false;
};

// An array is closed if it has a prefix and no keyword applies to the following items.
bool IsClosed(const Sorted& sorted) {
  if (!sorted.unevaluated.empty()) return false;
  bool prefix = false;
  for (const formula::Items* items : sorted.items) {
    if (IsTested(items->stance)) continue;
    if (items->rest) return false;
    prefix |= items->stance == Stance::kAsserted && !items->prefix.empty();
  }
  return prefix;
}

FormulaId ItemAt(const formula::Items& items, std::size_t index, bool* spoken_of) {
  if (index < items.prefix.size()) {
    *spoken_of = true;
    return items.prefix[index];
  }
  *spoken_of = items.rest.has_value();
  return items.rest.value_or(kTrue);
}

// What unevaluatedItems asks of the item at `index`.
FormulaId UnevaluatedAt(Formulas& formulas, const formula::UnevaluatedItems& unevaluated,
                        std::size_t index) {
  std::vector<FormulaId> either{unevaluated.value};
  for (const FormulaId id : unevaluated.evaluating) {
    if (const auto* items = formulas.As<formula::Items>(id)) {
      bool spoken_of = false;
      ItemAt(*items, index, &spoken_of);
      if (spoken_of) return kTrue;
    } else if (const auto* contains = formulas.As<formula::Contains>(id)) {
      either.push_back(contains->item);  // an item that it finds is evaluated
    } else {
      return kTrue;  // an inner unevaluatedItems covers all
    }
  }
  return formulas.Or(std::move(either));
}

FormulaId PlannedItem(Formulas& formulas, const Sorted& sorted, std::size_t index) {
  std::vector<FormulaId> parts;
  bool declared = !sorted.closed;
  for (const formula::Items* items : sorted.items) {
    bool spoken_of = false;
    parts.push_back(ItemAt(*items, index, &spoken_of));
    declared |= spoken_of && !IsTested(items->stance);
  }
  if (!declared) return kFalse;
  for (const formula::UnevaluatedItems* unevaluated : sorted.unevaluated) {
    parts.push_back(UnevaluatedAt(formulas, *unevaluated, index));
  }
  return formulas.And(std::move(parts));
}

}  // namespace

ArrayPlan PlanArray(NormalForm& normal_form, const Alternative& alternative) {
  Formulas& formulas = normal_form.formulas();
  ArrayPlan plan;
  Sorted sorted;
  std::size_t prefix = 0;
  for (const FormulaId id : alternative.constraints) {
    const Formula& f = formulas[id];
    if (const auto* items = std::get_if<formula::Items>(&f)) {
      sorted.items.push_back(items);
      prefix = std::max(prefix, items->prefix.size());
    } else if (const auto* count = std::get_if<formula::ItemCount>(&f)) {
      plan.min = std::max(plan.min, count->min);
      if (count->max) plan.max = std::min(plan.max.value_or(*count->max), *count->max);
    } else if (const auto* contains = std::get_if<formula::Contains>(&f)) {
      if (contains->min > 0 || contains->max) plan.contains.push_back(contains);
    } else if (const auto* unique = std::get_if<formula::UniqueItems>(&f)) {
      plan.unique = unique;
    } else if (const auto* unevaluated = std::get_if<formula::UnevaluatedItems>(&f)) {
      sorted.unevaluated.push_back(unevaluated);
    }
  }
  sorted.closed = normal_form.strict() && IsClosed(sorted);
  plan.rest = PlannedItem(formulas, sorted, prefix);
  if (plan.rest == kFalse) {
    plan.max = std::min(plan.max.value_or(static_cast<std::int64_t>(prefix)),
                        static_cast<std::int64_t>(prefix));
  }
  for (std::size_t i = 0; i < prefix; ++i) {
    if (plan.max && static_cast<std::int64_t>(i) >= *plan.max) break;
    plan.prefix.push_back(PlannedItem(formulas, sorted, i));
    if (plan.prefix.back() == kFalse) {
      plan.prefix.pop_back();
      plan.max = static_cast<std::int64_t>(i);
    }
  }
  return plan;
}

}  // namespace sglrun::grammar
