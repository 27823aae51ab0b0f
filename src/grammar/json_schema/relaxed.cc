// The keywords dropped under --grammar-unsupported relax, and the exclusions that become weaker. If
// a keyword of a oneOf member cannot be enforced, it is unknown whether the member holds, so the
// other members cannot be distinguished from it.
#include <algorithm>
#include <optional>

#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {
namespace {

// The formulas that a formula is made of, and its place where it is a constraint that has one.
struct PartsOf {
  std::vector<FormulaId>& out;

  void Add(FormulaId id) const { out.push_back(id); }
  void Add(const std::optional<FormulaId>& id) const {
    if (id) out.push_back(*id);
  }
  void Add(const std::vector<FormulaId>& ids) const {
    out.insert(out.end(), ids.begin(), ids.end());
  }

  std::optional<PlaceId> operator()(const formula::And& f) const {
    return Add(f.parts), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Or& f) const {
    return Add(f.parts), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Exclude& f) const {
    return Add(f.inner), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Scope& f) const {
    return Add(f.inner), Add(f.properties), Add(f.items), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Properties& f) const {
    for (const auto& named : f.named) Add(named.value);
    for (const auto& pattern : f.patterns) Add(pattern.keys), Add(pattern.value);
    return Add(f.others), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::PropertyNames& f) const {
    return Add(f.keys), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Items& f) const {
    return Add(f.prefix), Add(f.rest), std::nullopt;
  }
  std::optional<PlaceId> operator()(const formula::Contains& f) const {
    return Add(f.item), std::nullopt;
  }

  std::optional<PlaceId> operator()(const formula::Text& f) const { return f.place; }
  std::optional<PlaceId> operator()(const formula::PropertyCount& f) const { return f.place; }
  std::optional<PlaceId> operator()(const formula::UniqueItems& f) const { return f.place; }
  std::optional<PlaceId> operator()(const formula::Unenforceable& f) const { return f.place; }
  // The rest is made later, of those.
  template <class T>
  std::optional<PlaceId> operator()(const T&) const {
    return std::nullopt;
  }
};

bool Reaches(FormulaId from, const std::unordered_set<PlaceId>& places, const Formulas& formulas,
             const Translator& translator) {
  std::vector<FormulaId> todo{from};
  std::unordered_set<FormulaId> seen;
  while (!todo.empty()) {
    const FormulaId id = todo.back();
    todo.pop_back();
    if (!seen.insert(id).second) continue;
    if (const auto* here = formulas.As<formula::AtPlace>(id)) {
      const auto inner = translator.KnownFormulaOf(*here);
      if (inner) todo.push_back(*inner);
      continue;
    }
    const auto place = std::visit(PartsOf{todo}, formulas[id]);
    if (place && places.count(*place) != 0) return true;
  }
  return false;
}

}  // namespace

void NormalForm::Relax(PlaceId place, const std::string& keyword, bool under_not) {
  ReportOnce(front_.report.relaxed, document_.Pointer(place, keyword));
  if (under_not) dropped_places_.insert(place);
}

void NormalForm::ListWeakened() {
  if (dropped_places_.empty()) return;
  for (const Translator::Exclusion& one : translator_.exclusions()) {
    if (Reaches(one.excluded, dropped_places_, formulas_, translator_)) {
      ReportOnce(front_.report.relaxed, document_.Pointer(one.place, one.keyword));
    }
  }
}

}  // namespace sglrun::grammar
