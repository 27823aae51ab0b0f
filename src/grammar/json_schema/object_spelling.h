// How the parts of an object are spelled: as JSON, or as something that reads like it.
#pragma once

#include <string>

#include "grammar/json_schema/object_plan.h"
#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

//   Open  AfterOpen  key value  Comma  key value  Close
class ObjectSpelling {
 public:
  virtual ~ObjectSpelling() = default;

  virtual ExprId Open() = 0;
  virtual ExprId AfterOpen() = 0;      // before the first member
  virtual ExprId Comma() = 0;          // between members
  virtual ExprId Close(bool any) = 0;  // after the last member, if there is any
  virtual ExprResult NamedKey(const std::string& name) = 0;
  virtual ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) = 0;
  virtual ExprResult Member(ExprId key, FormulaId value) = 0;
};

// object.cc
ExprResult AppendObject(ValueRules& rules, const Alternative& alternative,
                        ObjectSpelling& spelling);

}  // namespace sglrun::grammar
