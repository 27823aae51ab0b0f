// The normal form of a schema: for one kind of value, a formula is a union of alternatives,
// each a conjunction of plain constraints on that kind. Everything that applies in place is
// resolved (references, allOf, anyOf, exclusions); what applies to properties and items stays a
// formula, so that recursive schemas are finite.
//
//   Simplify        the formula as that kind sees it: constraints on other kinds are gone
//   Alternatives    its alternatives, exclusions resolved
//   Negated         what `not` leaves of a simplified formula (negate.cc)
//   IsEmpty         a proof that no value satisfies it (emptiness.cc); false may mean "not proven"
//   TruthOf         whether one value satisfies it (evaluate.cc)
//   KeyLanguage     the strings that satisfy it, as an automaton (plain_languages.cc)
//
// An exclusion is looked at beside all else of its alternative: most are empty there (the members
// of a oneOf differ in a required constant), and only the others are negated.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grammar/json_schema/formula.h"
#include "grammar/json_schema/translate.h"

namespace sglrun::grammar {

// Whether a value satisfies a formula: doubtful if readers disagree (Reading). The order makes
// "and" the minimum and "or" the maximum.
enum class Truth : std::uint8_t { kNo, kDoubtful, kYes };

// Simplified constraints of one kind, in order, none twice.
struct Alternative {
  std::vector<FormulaId> constraints;
  std::vector<FormulaId> excluded;  // not resolved yet; empty in what Alternatives() gives

  friend bool operator==(const Alternative&, const Alternative&) = default;
};
using AlternativeList = std::vector<Alternative>;
using SharedAlternatives = std::shared_ptr<const AlternativeList>;

class NormalForm {
 public:
  NormalForm(Document& document, Formulas& formulas, FrontEnd& front, bool strict)
      : document_(document),
        formulas_(formulas),
        front_(front),
        strict_(strict),
        translator_(document, formulas, front) {}

  FormulaResult Simplify(FormulaId formula, Kind kind);
  Result<SharedAlternatives, GrammarError> Alternatives(FormulaId formula, Kind kind);

  Result<bool, GrammarError> IsEmpty(FormulaId formula);
  Result<bool, GrammarError> IsDead(const Alternative& alternative, Kind kind);

  Result<Truth, GrammarError> TruthOf(const Json& value, FormulaId formula);
  // The values of enum and const in an alternative that satisfy all of it; nullopt without either.
  Result<std::optional<std::vector<const Json*>>, GrammarError> Survivors(
      const Alternative& alternative, Kind kind);
  // All values of the formula if enum, const, null and booleans list them and there are at most
  // `limit`; else nullopt.
  Result<std::optional<std::vector<const Json*>>, GrammarError> FiniteValues(FormulaId formula,
                                                                             std::size_t limit);

  Result<SharedDfa, GrammarError> KeyLanguage(FormulaId keys);
  Result<Truth, GrammarError> KeyMatches(FormulaId keys, std::string_view name);
  // How the current proof treats doubtful values: kSome if it has to show that two formulas exclude
  // each other for every reader, else kEvery.
  Reading reading() const { return reading_; }
  bool Passes(Truth truth) const {
    return truth == Truth::kYes || (truth == Truth::kDoubtful && reading_ == Reading::kSome);
  }

  // The constraints on numbers and strings of an alternative, conjoined.
  NumberConstraints NumbersOf(const Alternative& alternative) const;
  StringConstraints StringsOf(const Alternative& alternative) const;
  Result<SharedDfa, GrammarError> NumberDfa(const NumberConstraints& constraints);
  // The error of the constraint that is to blame for `error`, with its place. Under relax the
  // constraint is dropped instead, and true says so: try again.
  Result<bool, GrammarError> Blame(Alternative& alternative, const GrammarError& error);
  // Settles what cannot be enforced in an alternative that is about to be used.
  // One that turns out to have no values gets kFalse among its constraints.
  Result<void, GrammarError> Settle(Alternative& alternative, Kind kind);
  // Lists a dropped keyword. Under an exclusion, what excludes is weaker for it: ListWeakened lists
  // those not, oneOf and if, once all is compiled.
  void Relax(PlaceId place, const std::string& keyword, bool under_not);
  void ListWeakened();
  // Under relax, a constraint that cannot be enforced holds for everything. A pattern for keys then
  // matches all of them, and must ask nothing of their values.
  bool IsDropped(FormulaId constraint) const { return dropped_.count(constraint) != 0; }

  Document& document() { return document_; }
  Formulas& formulas() { return formulas_; }
  FrontEnd& front() { return front_; }
  PatternLanguages& patterns() { return patterns_; }
  bool strict() const { return strict_; }

 private:
  // Bounds the nesting of in-place work: chains of references are as long as a document likes.
  static constexpr int kDeepest = 400;
  static constexpr std::size_t kMostAlternatives = 2'000;
  static constexpr int kDeepestProof = 10;

  FormulaResult SimplifyNow(FormulaId formula, Kind kind);
  FormulaResult SimplifyAll(const std::vector<FormulaId>& parts, Kind kind, bool all,
                            bool inclusive);
  FormulaResult SimplifyScope(const formula::Scope& scope, Kind kind);

  // The alternatives of `start` and all of `more`, exclusions gathered but not resolved. `subsets`:
  // several members of an inclusive Or may hold together.
  Result<AlternativeList, GrammarError> Extend(Alternative start, std::vector<FormulaId> more,
                                               bool subsets = false);
  struct Listing;
  // Sorts what is pending; false: nothing satisfies it.
  bool TakePending(Listing& listing, bool subsets) const;
  // Pushes a listing for each way to satisfy its first choice.
  void TakeChoice(Listing listing, bool subsets, std::vector<Listing>& open) const;
  Result<AlternativeList, GrammarError> ResolveExcluded(Alternative alternative, Kind kind);

  Result<bool, GrammarError> AreDeadForAll(std::span<const Alternative> alternatives, Kind kind);

  FormulaResult Negated(FormulaId simplified, Kind kind);
  FormulaResult NegatedJoin(const std::vector<FormulaId>& parts, Kind kind, bool to_all);

  // The keyword for numbers of the place that cannot be used by itself, else "".
  std::string BlamedBound(PlaceId place);
  DfaResult TextsOf(Alternative& alternative);
  bool IsEmptyText(const Alternative& alternative);
  Result<bool, GrammarError> IsDeadObject(const Alternative& alternative);
  Result<bool, GrammarError> IsDeadArray(const Alternative& alternative);

  using TruthResult = Result<Truth, GrammarError>;
  TruthResult TruthOfSimplified(const Json& value, Kind kind, FormulaId formula);
  TruthResult TruthOfObject(const Json& value, FormulaId formula);
  TruthResult TruthOfArray(const Json& value, FormulaId formula);
  TruthResult TruthOfText(const Json& value, FormulaId formula);
  // The formulas that a constraint applies to the value of a key: certainly, and possibly if the
  // key is doubtful.
  struct Asked {
    FormulaId surely = kTrue, perhaps = kTrue;
    Truth spoken_of = Truth::kNo;
  };
  Result<Asked, GrammarError> AskedOf(const formula::Properties& properties,
                                      const std::string& name);
  TruthResult IsEvaluated(const std::vector<FormulaId>& evaluating, const std::string& name);
  TruthResult TruthOfAsked(const Json& value, FormulaId surely, FormulaId perhaps);
  Result<bool, GrammarError> TestText(const Json& value, FormulaId formula, Reading reading);
  const std::unordered_set<std::string>& KeysOfValues(FormulaId values);

  Document& document_;
  Formulas& formulas_;
  FrontEnd& front_;
  bool strict_;
  Translator translator_;

  std::unordered_map<std::int64_t, FormulaId> simplified_;  // by formula and kind; -1: under way
  std::unordered_map<std::int64_t, SharedAlternatives> alternatives_;
  std::unordered_map<std::int64_t, FormulaId> negated_;
  std::unordered_map<std::int64_t, bool> empty_;  // by formula and reading
  std::unordered_set<std::int64_t> proving_;
  std::unordered_map<FormulaId, SharedDfa> key_languages_;
  std::unordered_map<FormulaId, StringTest> string_tests_[2];  // by reading
  std::unordered_map<FormulaId, std::unordered_set<std::string>> values_;
  std::vector<std::pair<NumberConstraints, SharedDfa>> numbers_;
  PatternLanguages patterns_;
  std::unordered_set<FormulaId> dropped_;       // constraints given up under relax
  std::unordered_set<PlaceId> dropped_places_;  // of those under exclusions
  std::deque<Json> made_values_;                // null, true, false for FiniteValues
  Reading reading_ = Reading::kEvery;
  bool under_not_ = false;  // the current formula is under an odd number of exclusions
  int depth_ = 0;
};

}  // namespace sglrun::grammar
