#include "grammar/json_schema/normal_form.h"

#include <algorithm>
#include <utility>

namespace sglrun::grammar {
namespace {

constexpr FormulaId kUnderWay = -1;

std::int64_t KeyOf(FormulaId formula, Kind kind) {
  return std::int64_t{formula} * 8 + static_cast<int>(kind);
}

// The kinds a constraint says something about.
struct KindsConcerned {
  KindSet operator()(const formula::Number&) const { return Only(Kind::kNumber); }
  KindSet operator()(const formula::Text&) const { return Only(Kind::kString); }
  KindSet operator()(const formula::Properties&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::Required&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::PropertyNames&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::PropertyCount&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::DependentRequired&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::SomeProperty&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::UnevaluatedProperties&) const { return Only(Kind::kObject); }
  KindSet operator()(const formula::Items&) const { return Only(Kind::kArray); }
  KindSet operator()(const formula::ItemCount&) const { return Only(Kind::kArray); }
  KindSet operator()(const formula::Contains&) const { return Only(Kind::kArray); }
  KindSet operator()(const formula::UniqueItems&) const { return Only(Kind::kArray); }
  KindSet operator()(const formula::UnevaluatedItems&) const { return Only(Kind::kArray); }
  KindSet operator()(const formula::Unenforceable& u) const { return u.kinds; }
  template <class T>
  KindSet operator()(const T&) const {
    return kEveryKind;
  }
};

// Whether a constraint inside a scope evaluates properties or items. A constraint under a `not`
// inside the scope does not, even if two of them cancel out.
struct EvaluatesIn {
  const formula::Scope& scope;

  bool Counts(Stance stance) const {
    return IsTested(scope.stance) ? stance == scope.stance : !IsTested(stance);
  }
  bool operator()(const formula::Properties& f) const { return Counts(f.stance); }
  bool operator()(const formula::UnevaluatedProperties& f) const { return Counts(f.stance); }
  bool operator()(const formula::Items& f) const { return Counts(f.stance); }
  bool operator()(const formula::UnevaluatedItems& f) const { return Counts(f.stance); }
  bool operator()(const formula::Contains& f) const {
    return scope.contains_evaluates && Counts(f.stance);
  }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
};

void AppendNew(std::vector<FormulaId>& to, FormulaId id) {
  if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
}

}  // namespace

FormulaResult NormalForm::Simplify(FormulaId formula, Kind kind) {
  if (formula <= kTrue) return formula;
  const auto [at, is_new] = simplified_.try_emplace(KeyOf(formula, kind), kUnderWay);
  if (!is_new && at->second != kUnderWay) return at->second;
  if (!is_new) {
    const auto* here = formulas_.As<formula::AtPlace>(formula);
    return document_.ErrorAt(here == nullptr ? document_.root() : here->place, "",
                             Verdict::kInvalid, "refers back to itself without an end");
  }
  if (depth_ >= kDeepest) {
    return GrammarError{Verdict::kTooLarge,
                        "the schema's references and combinations nest deeper than " +
                            std::to_string(kDeepest) + " levels"};
  }
  SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("joining what applies to one place"));
  ++depth_;
  FormulaResult result = SimplifyNow(formula, kind);
  --depth_;
  if (result.ok()) simplified_[KeyOf(formula, kind)] = *result;
  return result;
}

FormulaResult NormalForm::SimplifyNow(FormulaId formula, Kind kind) {
  const Formula& f = formulas_[formula];
  if (const auto* place = std::get_if<formula::AtPlace>(&f)) {
    SGLRUN_ASSIGN_OR_RETURN(const FormulaId inner, translator_.FormulaOf(*place));
    return Simplify(inner, kind);
  }
  if (const auto* all = std::get_if<formula::And>(&f)) {
    return SimplifyAll(all->parts, kind, true, false);
  }
  if (const auto* any = std::get_if<formula::Or>(&f)) {
    return SimplifyAll(any->parts, kind, false, any->inclusive);
  }
  if (const auto* exclude = std::get_if<formula::Exclude>(&f)) {
    SGLRUN_ASSIGN_OR_RETURN(const FormulaId inner, Simplify(exclude->inner, kind));
    return formulas_.Exclude(inner);
  }
  if (const auto* scope = std::get_if<formula::Scope>(&f)) return SimplifyScope(*scope, kind);
  if (const auto* kinds = std::get_if<formula::Kinds>(&f)) {
    return Has(kinds->kinds, kind) ? kTrue : kFalse;
  }
  if (const auto* values = std::get_if<formula::Values>(&f)) {
    const bool some = std::any_of(values->values.begin(), values->values.end(),
                                  [&](const Json* value) { return KindOf(*value) == kind; });
    if (!some) return kFalse;
    return kind <= Kind::kTrue ? kTrue : formula;
  }
  return Has(std::visit(KindsConcerned{}, f), kind) ? formula : kTrue;
}

FormulaResult NormalForm::SimplifyAll(const std::vector<FormulaId>& parts, Kind kind, bool all,
                                      bool inclusive) {
  std::vector<FormulaId> simple;
  for (const FormulaId part : parts) {
    SGLRUN_ASSIGN_OR_RETURN(const FormulaId id, Simplify(part, kind));
    // Stop early: what follows may be large, and cannot matter.
    if (all && id == kFalse) return kFalse;
    simple.push_back(id);
  }
  return all ? formulas_.And(std::move(simple)) : formulas_.Or(std::move(simple), inclusive);
}

// The unevaluated properties and items differ for each alternative.
FormulaResult NormalForm::SimplifyScope(const formula::Scope& scope, Kind kind) {
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId inner, Simplify(scope.inner, kind));
  const bool concerns_properties = kind == Kind::kObject && scope.properties.has_value();
  const bool concerns_items = kind == Kind::kArray && scope.items.has_value();
  if (!concerns_properties && !concerns_items) return inner;
  SGLRUN_ASSIGN_OR_RETURN(const auto alternatives, Extend({}, {inner}, /*subsets=*/true));
  std::vector<FormulaId> choices;
  for (const Alternative& alternative : alternatives) {
    std::vector<FormulaId> parts = alternative.constraints;
    for (const FormulaId id : alternative.excluded) parts.push_back(formulas_.Exclude(id));
    std::vector<FormulaId> evaluating;
    for (const FormulaId id : alternative.constraints) {
      if (std::visit(EvaluatesIn{scope}, formulas_[id])) evaluating.push_back(id);
    }
    parts.push_back(concerns_properties
                        ? formulas_.Add(formula::UnevaluatedProperties{
                              *scope.properties, std::move(evaluating), scope.stance})
                        : formulas_.Add(formula::UnevaluatedItems{
                              *scope.items, std::move(evaluating), scope.stance}));
    choices.push_back(formulas_.And(std::move(parts)));
  }
  return formulas_.Or(std::move(choices));
}

// An alternative that is still made: `pending` has to hold as well, and one of each of `choices`.
struct NormalForm::Listing {
  Alternative so_far;
  std::vector<FormulaId> pending;  // in order
  std::vector<FormulaId> choices = {};
};

bool NormalForm::TakePending(Listing& listing, bool subsets) const {
  for (std::size_t i = 0; i < listing.pending.size(); ++i) {
    const FormulaId id = listing.pending[i];
    const Formula& f = formulas_[id];
    if (const auto* all = std::get_if<formula::And>(&f)) {
      listing.pending.insert(listing.pending.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             all->parts.begin(), all->parts.end());
    } else if (const auto* any = std::get_if<formula::Or>(&f)) {
      const bool holds_anyway = std::ranges::find(any->parts, kTrue) != any->parts.end();
      if (subsets || !holds_anyway) AppendNew(listing.choices, id);
    } else if (const auto* exclude = std::get_if<formula::Exclude>(&f)) {
      AppendNew(listing.so_far.excluded, exclude->inner);
    } else if (id == kFalse) {
      return false;
    } else if (id != kTrue) {
      AppendNew(listing.so_far.constraints, id);
    }
  }
  listing.pending.clear();
  return true;
}

void NormalForm::TakeChoice(Listing listing, bool subsets, std::vector<Listing>& open) const {
  const auto& choice = std::get<formula::Or>(formulas_[listing.choices.front()]);
  listing.choices.erase(listing.choices.begin());
  const std::size_t count = choice.parts.size();
  // With more than a few members only single ones are tried: each is correct, but keys that only
  // two of them together evaluate are missed.
  constexpr std::size_t kMostTogether = 5;
  if (subsets && choice.inclusive && count <= kMostTogether) {
    for (std::size_t set = (std::size_t{1} << count) - 1; set > 0; --set) {
      Listing next = listing;
      for (std::size_t i = 0; i < count; ++i) {
        if ((set >> i & 1U) != 0) next.pending.push_back(choice.parts[i]);
      }
      open.push_back(std::move(next));
    }
    return;
  }
  for (std::size_t i = count; i-- > 0;) {  // the stack turns the order round
    Listing next = listing;
    next.pending.push_back(choice.parts[i]);
    open.push_back(std::move(next));
  }
}

Result<AlternativeList, GrammarError> NormalForm::Extend(Alternative start,
                                                         std::vector<FormulaId> more,
                                                         bool subsets) {
  const auto contradicts = [](const Alternative& alternative) {
    const auto& all = alternative.constraints;
    return std::ranges::any_of(alternative.excluded, [&](FormulaId id) {
      return std::ranges::find(all, id) != all.end();
    });
  };
  AlternativeList done;
  std::vector<Listing> open;  // a stack
  open.push_back({std::move(start), std::move(more)});
  while (!open.empty()) {
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("listing alternatives"));
    Listing listing = std::move(open.back());
    open.pop_back();
    if (!TakePending(listing, subsets)) continue;
    if (!listing.choices.empty()) {
      TakeChoice(std::move(listing), subsets, open);
      continue;
    }
    if (!contradicts(listing.so_far)) done.push_back(std::move(listing.so_far));
    if (done.size() + open.size() > kMostAlternatives) {
      return GrammarError{Verdict::kTooLarge,
                          "the combinations of anyOf, oneOf and not in one place make more than " +
                              std::to_string(kMostAlternatives) + " alternatives"};
    }
  }
  return done;
}

Result<SharedAlternatives, GrammarError> NormalForm::Alternatives(FormulaId formula, Kind kind) {
  SGLRUN_ASSIGN_OR_RETURN(const FormulaId simple, Simplify(formula, kind));
  const std::int64_t key = KeyOf(simple, kind);
  const auto known = alternatives_.find(key);
  if (known != alternatives_.end()) return known->second;
  static const auto kNone = std::make_shared<const AlternativeList>();
  if (simple == kFalse) return SharedAlternatives(kNone);
  SGLRUN_ASSIGN_OR_RETURN(auto open, Extend({}, {simple}));
  AlternativeList all;
  for (Alternative& alternative : open) {
    SGLRUN_ASSIGN_OR_RETURN(auto resolved, ResolveExcluded(std::move(alternative), kind));
    for (Alternative& one : resolved) {
      // Looking back a little finds what redundant combinations repeat.
      constexpr std::ptrdiff_t kFew = 64;
      const auto begin = all.size() > kFew ? all.end() - kFew : all.begin();
      if (std::find(begin, all.end(), one) == all.end()) all.push_back(std::move(one));
    }
  }
  auto shared = std::make_shared<const AlternativeList>(std::move(all));
  alternatives_[key] = shared;
  return SharedAlternatives(shared);
}

Result<AlternativeList, GrammarError> NormalForm::ResolveExcluded(Alternative alternative,
                                                                  Kind kind) {
  AlternativeList done;
  std::vector<Alternative> tasks;
  tasks.push_back(std::move(alternative));
  while (!tasks.empty()) {
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("excluding alternatives"));
    Alternative task = std::move(tasks.back());
    tasks.pop_back();
    if (task.excluded.empty()) {
      done.push_back(std::move(task));
      if (done.size() + tasks.size() > kMostAlternatives) {
        return GrammarError{Verdict::kTooLarge,
                            "what oneOf or not leaves in one place is more than " +
                                std::to_string(kMostAlternatives) + " alternatives"};
      }
      continue;
    }
    const FormulaId excluded = task.excluded.front();
    task.excluded.erase(task.excluded.begin());
    SGLRUN_ASSIGN_OR_RETURN(const auto overlaps, Extend({task.constraints, {}}, {excluded}));
    SGLRUN_ASSIGN_OR_RETURN(const bool apart, AreDeadForAll(overlaps, kind));
    if (apart) {
      tasks.push_back(std::move(task));
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(const FormulaId rest, Negated(excluded, kind));
    SGLRUN_ASSIGN_OR_RETURN(auto split, Extend(std::move(task), {rest}));
    for (std::size_t i = split.size(); i-- > 0;) {
      SGLRUN_ASSIGN_OR_RETURN(const bool dead, AreDeadForAll({&split[i], 1}, kind));
      if (!dead) tasks.push_back(std::move(split[i]));
    }
  }
  return done;
}

// Whether no value is in any of them, for any reader: what alternatives are left must not hang on
// the proof that asks for them.
Result<bool, GrammarError> NormalForm::AreDeadForAll(std::span<const Alternative> alternatives,
                                                     Kind kind) {
  const Reading before = std::exchange(reading_, Reading::kSome);
  Result<bool, GrammarError> dead = true;
  for (const Alternative& alternative : alternatives) {
    dead = IsDead(alternative, kind);
    if (!dead.ok() || !*dead) break;
  }
  reading_ = before;
  return dead;
}

}  // namespace sglrun::grammar
