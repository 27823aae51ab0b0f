// The keys that the schema does not name, divided by the patterns that they match: each cell gets
// the conjunction of the constraints of its patterns, and of those for additional keys where none
// of a place's patterns match.
#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "grammar/json_schema/object_plan.h"

namespace sglrun::grammar {
namespace {

class CellMaker {
 public:
  CellMaker(NormalForm& normal_form, const ObjectPlan& plan)
      : normal_form_(normal_form), plan_(plan) {}

  Result<std::vector<KeyCell>, GrammarError> Make() {
    ListDividers();
    if (dividers_.empty() && plan_.key_conditions.empty() && !plan_.CountsOthers()) {
      KeyCell all{nullptr, ValueOf({}), SomeOf({})};
      if (all.value == kFalse) return std::vector<KeyCell>{};
      return std::vector<KeyCell>{std::move(all)};
    }
    SGLRUN_RETURN_IF_ERROR(StartFromConditions());
    if (plan_.CountsOthers() && !PartByName()) {
      for (int bit = 0; bit < BitsOfFirst(); ++bit) dividers_.push_back(KeysByFirst(bit));
    }
    for (std::size_t i = 0; i < dividers_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(DivideBy(i));
    }
    return Finish();
  }

 private:
  struct Part {
    SharedDfa keys;  // nullptr: all
    std::vector<char> matches = {};
  };

  Budget& budget() { return normal_form_.front().budget; }

  void AddDivider(FormulaId keys) {
    if (keys <= kTrue) return;
    if (std::find(dividers_.begin(), dividers_.end(), keys) == dividers_.end()) {
      dividers_.push_back(keys);
    }
  }

  void ListDividers() {
    for (const formula::Properties* properties : plan_.properties) {
      for (const auto& pattern : properties->patterns) AddDivider(pattern.keys);
    }
    for (const formula::SomeProperty* some : plan_.some) AddDivider(some->keys);
  }

  // False where propertyNames leaves more than a few keys.
  bool PartByName() {
    constexpr std::size_t kMostNames = 12;
    const SharedDfa keys = parts_.front().keys;
    if (keys == nullptr) return false;
    const auto names = Members(*keys, kMostNames);
    if (!names) return false;
    parts_.clear();
    for (const std::u32string& name : *names) {
      std::string utf8;
      for (const char32_t c : name) AppendUtf8(utf8, c);
      parts_.push_back({std::make_shared<const Dfa>(ExactText(utf8))});
    }
    by_name_ = true;
    return true;
  }

  // Four bits make sixteen sets, in which neighbours of the alphabet are apart. With more than
  // four keys, the writer of the object cannot remember which of sixteen sets each is from.
  int BitsOfFirst() const { return plan_.min <= plan_.required + 4 ? 4 : 3; }
  // The keys whose first character is of ASCII and has this bit.
  FormulaId KeysByFirst(int bit) {
    constexpr char kHex[] = "0123456789abcdef";
    StringConstraints keys;
    std::string& pattern = keys.patterns.emplace_back("^[");
    for (int c = ' '; c < 0x7F; ++c) {
      if ((c >> bit & 1) != 0) pattern.append("\\x").append({kHex[c / 16], kHex[c % 16]});
    }
    pattern += ']';
    return normal_form_.formulas().Add(formula::Text{std::move(keys), 0, ""});
  }

  bool Matches(FormulaId keys, const std::vector<char>& matches) const {
    if (keys <= kTrue) return keys == kTrue;
    const auto at = std::find(dividers_.begin(), dividers_.end(), keys) - dividers_.begin();
    return static_cast<std::size_t>(at) < matches.size() &&
           matches[static_cast<std::size_t>(at)] != 0;
  }

  Result<void, GrammarError> StartFromConditions() {
    SharedDfa keys;
    for (const FormulaId condition : plan_.key_conditions) {
      SGLRUN_ASSIGN_OR_RETURN(const SharedDfa more, normal_form_.KeyLanguage(condition));
      SGLRUN_ASSIGN_OR_RETURN(keys, Meet(keys, more));
    }
    parts_.push_back({std::move(keys)});
    return {};
  }

  Result<SharedDfa, GrammarError> Meet(const SharedDfa& a, const SharedDfa& b) {
    if (a == nullptr) return SharedDfa(b);
    SGLRUN_ASSIGN_OR_RETURN(Dfa both, Intersect(*a, *b, budget()));
    return SharedDfa(std::make_shared<const Dfa>(std::move(both)));
  }

  Result<SharedDfa, GrammarError> Without(const SharedDfa& keys, const Dfa& names) {
    auto rest =
        keys == nullptr ? ComplementText(names, budget()) : Subtract(*keys, names, budget());
    if (!rest.ok()) return std::move(rest).error();
    return SharedDfa(std::make_shared<const Dfa>(std::move(rest).value()));
  }

  // The keys that match a divider, or those that do not; none of the two where that is doubtful.
  Result<SharedDfa, GrammarError> Side(FormulaId divider, bool matches) {
    if (matches) return normal_form_.KeyLanguage(divider);
    if (normal_form_.IsDropped(divider)) return SharedDfa(std::make_shared<const Dfa>(NoText()));
    return normal_form_.KeyLanguage(normal_form_.formulas().Exclude(divider));
  }

  Result<void, GrammarError> DivideBy(std::size_t index) {
    constexpr std::size_t kMostCells = 64;
    const bool last = index + 1 == dividers_.size();
    std::vector<Part> divided;
    for (Part& part : parts_) {
      for (const bool matches : {true, false}) {
        Part half{nullptr, part.matches};
        half.matches.push_back(matches ? 1 : 0);
        // All is decided: parts without a value need no automaton.
        if (last && ValueOf(half.matches) == kFalse) continue;
        SGLRUN_ASSIGN_OR_RETURN(const SharedDfa side, Side(dividers_[index], matches));
        SGLRUN_ASSIGN_OR_RETURN(half.keys, Meet(part.keys, side));
        if (!IsEmpty(*half.keys)) divided.push_back(std::move(half));
      }
    }
    if (divided.size() > kMostCells) {
      return GrammarError{Verdict::kTooLarge,
                          "patternProperties part the keys of an object into more than " +
                              std::to_string(kMostCells) + " sets"};
    }
    parts_ = std::move(divided);
    return {};
  }

  FormulaId ValueOf(const std::vector<char>& matches) {
    std::vector<FormulaId> values;
    std::vector<const formula::Properties*> silent;
    bool declared = !plan_.closed;
    for (const formula::Properties* properties : plan_.properties) {
      bool any = false;
      for (const auto& pattern : properties->patterns) {
        if (!Matches(pattern.keys, matches)) continue;
        if (!normal_form_.IsDropped(pattern.keys)) values.push_back(pattern.value);
        any = true;
      }
      declared |= any && !IsTested(properties->stance);
      if (!any && properties->others) values.push_back(*properties->others);
      if (!any && !properties->others) silent.push_back(properties);
    }
    if (!declared) return kFalse;
    Formulas& formulas = normal_form_.formulas();
    for (const formula::UnevaluatedProperties* unevaluated : plan_.unevaluated) {
      const bool evaluated = std::any_of(
          unevaluated->evaluating.begin(), unevaluated->evaluating.end(), [&](FormulaId id) {
            const auto* properties = formulas.As<formula::Properties>(id);
            return std::find(silent.begin(), silent.end(), properties) == silent.end();
          });
      if (!evaluated) values.push_back(unevaluated->value);
    }
    return formulas.And(std::move(values));
  }

  std::uint32_t SomeOf(const std::vector<char>& matches) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < plan_.some.size(); ++i) {
      if (Matches(plan_.some[i]->keys, matches)) bits |= 1U << i;
    }
    return bits;
  }

  Result<std::vector<KeyCell>, GrammarError> Finish() {
    std::vector<KeyCell> cells;
    for (Part& part : parts_) {
      KeyCell cell{std::move(part.keys), ValueOf(part.matches), SomeOf(part.matches), by_name_};
      if (cell.value == kFalse) continue;
      const std::vector<std::string> named = NamesIn(cell.keys);
      if (!named.empty()) {
        SGLRUN_ASSIGN_OR_RETURN(cell.keys, Without(cell.keys, Words(named)));
      }
      if (cell.keys == nullptr || !IsEmpty(*cell.keys)) cells.push_back(std::move(cell));
    }
    return cells;
  }

  // The names of the plan among the keys: of a pattern they are mostly none.
  std::vector<std::string> NamesIn(const SharedDfa& keys) const {
    std::vector<std::string> names;
    std::vector<std::uint32_t> characters;
    for (const ObjectPlan::Key& key : plan_.keys) {
      characters.clear();
      for (std::size_t at = 0; at < key.name.size();) {
        characters.push_back(DecodeUtf8(key.name, at));
      }
      if (keys == nullptr || keys->Accepts(characters)) names.push_back(key.name);
    }
    return names;
  }

  NormalForm& normal_form_;
  const ObjectPlan& plan_;
  std::vector<FormulaId> dividers_;
  std::vector<Part> parts_;
  bool by_name_ = false;  // each part is one key
};

}  // namespace

Result<std::vector<KeyCell>, GrammarError> CellsOf(NormalForm& normal_form,
                                                   const ObjectPlan& plan) {
  constexpr std::size_t kMostWitnesses = 6;
  if (plan.some.size() > kMostWitnesses) {
    return GrammarError{Verdict::kTooLarge, "more than " + std::to_string(kMostWitnesses) +
                                                " conditions ask for some property of an object"};
  }
  return CellMaker(normal_form, plan).Make();
}

}  // namespace sglrun::grammar
