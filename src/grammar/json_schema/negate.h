// What `not` makes of single constraints: a formula for the same kind of value, true for exactly
// the values of that kind that do not satisfy the constraint.
#pragma once

#include <deque>

#include "base/json.h"
#include "grammar/json_schema/formula.h"

namespace sglrun::grammar {

class Negation {
 public:
  // `made` keeps values that no schema text holds.
  Negation(Formulas& formulas, std::deque<Json>& made, Kind kind)
      : formulas_(formulas), made_(made), kind_(kind) {}

  FormulaId operator()(const formula::Number& number);
  FormulaId operator()(const formula::Text& text);
  FormulaId operator()(const formula::Values& values);

  FormulaId operator()(const formula::Properties& properties);
  FormulaId operator()(const formula::Required& required);
  FormulaId operator()(const formula::PropertyNames& names);
  FormulaId operator()(const formula::PropertyCount& count);
  FormulaId operator()(const formula::DependentRequired& dependency);
  FormulaId operator()(const formula::SomeProperty& some);
  FormulaId operator()(const formula::UnevaluatedProperties& unevaluated);

  FormulaId operator()(const formula::Items& items);
  FormulaId operator()(const formula::ItemCount& count);
  FormulaId operator()(const formula::Contains& contains);
  FormulaId operator()(const formula::UniqueItems& unique);
  FormulaId operator()(const formula::UnevaluatedItems& unevaluated);

  FormulaId operator()(const formula::Unenforceable& unenforceable);
  // The rest is no constraint: the caller deals with it.
  template <class T>
  FormulaId operator()(const T&) {
    return kFalse;
  }

 private:
  FormulaId Present(const std::string& name);
  FormulaId WithProperty(const std::string& name, FormulaId value);
  FormulaId WithoutSomeOf(const std::vector<std::string>& names);
  FormulaId ItemsAtLeast(std::int64_t count);
  FormulaId WithItem(std::size_t index, FormulaId value);
  FormulaId OtherThan(const Json& value);

  Formulas& formulas_;
  std::deque<Json>& made_;
  Kind kind_;
};

// The keys to which none of `evaluating` applies; kFalse if there are none.
FormulaId KeysNotEvaluated(Formulas& formulas, const std::vector<FormulaId>& evaluating);

}  // namespace sglrun::grammar
