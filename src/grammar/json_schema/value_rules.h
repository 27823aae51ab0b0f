// From formulas to expressions of the grammar: scalars in place, arrays and objects as rules of
// their own, one a formula, so that recursion is a call. Nothing recurses here: the bodies of rules
// are written one after the other.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "grammar/json_schema/excluded_texts.h"
#include "grammar/json_schema/layout.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {

class ValueRules {
 public:
  ValueRules(NormalForm& normal_form, Layout layout, bool any_order, ExcludedTexts excluded)
      : normal_form_(normal_form),
        layout_(std::move(layout)),
        any_order_(any_order),
        excluded_(std::move(excluded)) {}

  // The texts of all values that satisfy the formula, and every rule they need.
  ExprResult Whole(FormulaId formula);
  // The same in another style than JSON (styles.h).
  ExprResult WholeStyled(FormulaId formula, JsonStyle style);

  // The texts of the values of some kinds.
  ExprResult OfKinds(FormulaId formula, KindSet kinds) { return Body(formula, 0, kinds); }

  // For the writers of arrays and objects. `depth` counts the containers around the value; the
  // rules are complete once Whole returns.
  ExprResult Value(FormulaId formula, int depth);

  NormalForm& normal_form() { return normal_form_; }
  Formulas& formulas() { return normal_form_.formulas(); }
  FrontEnd& front() { return normal_form_.front(); }
  Grammar& grammar() { return normal_form_.front().grammar; }
  const Layout& layout() const { return layout_; }
  bool any_order() const { return any_order_; }
  const ExcludedTexts& excluded() const { return excluded_; }
  // For the container that is being written: `fault` with its place.
  GrammarError TooLarge(const std::string& fault) const {
    return normal_form_.document().ErrorAt(place_, "", Verdict::kTooLarge,
                                           "cannot be compiled: " + fault);
  }

 private:
  struct Task {
    FormulaId formula;
    int depth;
    RuleId rule;
    PlaceId place;  // its own or, where the formula has none, that of the value around it
  };

  ExprResult Body(FormulaId formula, int depth, KindSet kinds = kEveryKind);
  Result<void, GrammarError> WriteTasks();
  ExprResult One(Alternative alternative, Kind kind, int depth);
  ExprResult Listed(std::vector<const Json*> values, int depth);
  ExprResult Number(Alternative& alternative);
  ExprResult String(Alternative& alternative);
  std::string NameOf(FormulaId formula) const;

  NormalForm& normal_form_;
  Layout layout_;
  bool any_order_;
  ExcludedTexts excluded_;
  std::deque<Task> tasks_;
  PlaceId place_ = normal_form_.document().root();             // of the task at work
  std::vector<std::pair<StringConstraints, ExprId>> strings_;  // many places ask for the same
  std::map<std::pair<FormulaId, int>, ExprId> values_;
  std::map<std::pair<std::vector<FormulaId>, int>, ExprId> containers_;
};

// json_object.cc, array.cc
ExprResult AppendObject(ValueRules& rules, const Alternative& alternative, int depth);
ExprResult AppendArray(ValueRules& rules, const Alternative& alternative, int depth);

}  // namespace sglrun::grammar
