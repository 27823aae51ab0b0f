#include "grammar/json_schema/formula.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sglrun::grammar {
namespace {

// Appends a part that is not there yet. Linear search, because there are usually few parts.
class Collector {
 public:
  void Append(FormulaId id) {
    constexpr std::size_t kFew = 16;
    if (parts_.size() < kFew) {
      if (std::find(parts_.begin(), parts_.end(), id) != parts_.end()) return;
    } else {
      if (seen_.empty()) seen_.insert(parts_.begin(), parts_.end());
      if (!seen_.insert(id).second) return;
    }
    parts_.push_back(id);
  }
  std::vector<FormulaId> Take() { return std::move(parts_); }

 private:
  std::vector<FormulaId> parts_;
  std::unordered_set<FormulaId> seen_;
};

}  // namespace

Kind KindOf(const Json& value) {
  if (value.is_null()) return Kind::kNull;
  if (value.is_bool()) return value.as_bool() ? Kind::kTrue : Kind::kFalse;
  if (value.is_number()) return Kind::kNumber;
  if (value.is_string()) return Kind::kString;
  return value.is_array() ? Kind::kArray : Kind::kObject;
}

Formulas::Formulas() {
  kinds_.fill(-1);
  all_.emplace_back(formula::Constant{});  // kFalse
  all_.emplace_back(formula::Constant{});  // kTrue
}

FormulaId Formulas::Add(Formula formula) {
  all_.push_back(std::move(formula));
  return size() - 1;
}

FormulaId Formulas::AddJoined(std::vector<FormulaId> parts, int join) {
  const auto known = static_cast<std::size_t>(joined_[join].Intern(parts));
  std::vector<FormulaId>& ids = joined_ids_[join];
  if (known < ids.size()) return ids[known];
  if (join == 0) {
    ids.push_back(Add(formula::And{std::move(parts)}));
  } else {
    ids.push_back(Add(formula::Or{std::move(parts), join == 2}));
  }
  return ids.back();
}

FormulaId Formulas::And(std::vector<FormulaId> parts) {
  Collector all;
  for (const FormulaId part : parts) {
    if (part == kFalse) return kFalse;
    if (part == kTrue) continue;
    if (const auto* inner = As<formula::And>(part)) {
      for (const FormulaId id : inner->parts) all.Append(id);
    } else {
      all.Append(part);
    }
  }
  parts = all.Take();
  if (parts.empty()) return kTrue;
  return parts.size() == 1 ? parts.front() : AddJoined(std::move(parts), 0);
}

FormulaId Formulas::Or(std::vector<FormulaId> parts, bool inclusive) {
  Collector all;
  for (const FormulaId part : parts) {
    // A member that always holds is kept, because it may matter for what is evaluated.
    if (part == kTrue && !inclusive) return kTrue;
    if (part != kFalse) all.Append(part);
  }
  parts = all.Take();
  if (parts.empty()) return kFalse;
  return parts.size() == 1 ? parts.front() : AddJoined(std::move(parts), inclusive ? 2 : 1);
}

FormulaId Formulas::Exclude(FormulaId inner) {
  if (inner == kFalse) return kTrue;
  if (inner == kTrue) return kFalse;
  if (const auto* exclude = As<formula::Exclude>(inner)) return exclude->inner;
  if (const auto* kinds = As<formula::Kinds>(inner)) {
    return Kinds(static_cast<KindSet>(kEveryKind & ~kinds->kinds));
  }
  const auto [at, is_new] = excluded_.try_emplace(inner, 0);
  if (is_new) at->second = Add(formula::Exclude{inner});
  return at->second;
}

FormulaId Formulas::Kinds(KindSet kinds) {
  if (kinds == 0) return kFalse;
  if (kinds == kEveryKind) return kTrue;
  FormulaId& id = kinds_[kinds];
  if (id < 0) id = Add(formula::Kinds{kinds});
  return id;
}

FormulaId Formulas::AtPlace(const formula::AtPlace& at) {
  const auto [known, is_new] = at_place_.try_emplace(at.Key(), 0);
  if (is_new) known->second = Add(at);
  return known->second;
}

}  // namespace sglrun::grammar
