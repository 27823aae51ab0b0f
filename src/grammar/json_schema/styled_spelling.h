// Code shared by the styles that write values in a notation other than JSON (styles.h): texts
// without quotes, and members and items between marks.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grammar/json_schema/array_plan.h"
#include "grammar/json_schema/object_spelling.h"
#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

// How strings are written.
struct StyledText {
  std::vector<std::string> barred;  // in no string: a reader takes the text up to there
  // Parsers may strip blanks around a text, so a text that the schema restricts has none at its
  // ends.
  bool trimmed = true;
  bool line_breaks = false;  // one may stand before and after such a text
};

class StyledSpelling : public ObjectSpelling {
 public:
  StyledSpelling(ValueRules& rules, StyledText text);

  // A value of any kind, with every rule that it needs.
  ExprResult Whole(FormulaId formula);

  ExprId Open() override { return grammar_.Empty(); }
  ExprId AfterOpen() override { return Gap(); }
  ExprId Comma() override { return Gap(); }
  ExprId Close(bool) override { return Gap(); }

 protected:
  // The whole value: an object, unless a style says otherwise.
  virtual ExprResult Root(FormulaId formula);
  // An item of an array with its marks, and what stands around the items.
  virtual ExprResult Item(FormulaId formula) = 0;
  virtual ExprId OpenList() { return grammar_.Empty(); }
  virtual ExprId BeforeItem(bool first) = 0;
  virtual ExprId CloseList(bool any) = 0;

  ExprId Gap() { return rules_.layout().InEmpty(grammar_); }
  // The values of the formula that are strings, without marks; Never when there are none.
  ExprResult Strings(FormulaId formula);
  // Those of other kinds, in JSON.
  ExprResult InJson(FormulaId formula, KindSet kinds);
  ExprResult InJsonWithGaps(FormulaId formula, KindSet kinds);
  // Arrays or objects, as a rule of their own.
  ExprResult Container(FormulaId formula, Kind kind);

  // Keys that the schema does not name are identifiers.
  ExprResult Identifiers(const KeyCell& cell, const ObjectPlan& plan);
  // A name as it is written, with its marks; Never when it holds an excluded text.
  ExprId Name(const std::string& begin, const std::string& name, const std::string& end = "");
  // kUnsupported when the name holds one of the characters, or blanks where a reader may strip
  // them.
  Result<void, GrammarError> CheckName(const std::string& name, std::string_view barred) const;

  ValueRules& rules_;
  FrontEnd& front_;
  Grammar& grammar_;

 private:
  ExprResult String(Alternative alternative);
  ExprResult AnyString();
  ExprResult Listed(const std::vector<const Json*>& values);
  ExprResult Bounded(const StringConstraints& constraints);
  ExprId Wrapped(ExprId text);

  ExprResult Containers(FormulaId formula, Kind kind);
  ExprResult Array(const Alternative& alternative);
  ExprResult Rest(const ArrayPlan& plan);

  struct Task {
    FormulaId formula;
    Kind kind;
    RuleId rule;
  };

  StyledText text_;
  std::map<FormulaId, ExprId> strings_;
  std::map<std::pair<FormulaId, Kind>, ExprId> containers_;
  std::deque<Task> tasks_;
};

}  // namespace sglrun::grammar
