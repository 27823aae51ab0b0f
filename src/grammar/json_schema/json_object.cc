// Objects as JSON spells them.
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/json_schema/object_spelling.h"
#include "grammar/json_schema/other_names.h"
#include "grammar/json_schema/string_language.h"
#include "grammar/json_schema/value_rules.h"
#include "grammar/json_schema/value_spelling.h"

namespace sglrun::grammar {
namespace {

class JsonSpelling final : public ObjectSpelling {
 public:
  // `depth`: of the members.
  JsonSpelling(ValueRules& rules, int depth)
      : rules_(rules),
        grammar_(rules.grammar()),
        layout_(rules.layout()),
        depth_(depth),
        comma_(layout_.Comma(grammar_, depth)),
        colon_(layout_.Colon(grammar_)) {}

  ExprId Open() override { return grammar_.Bytes("{"); }
  ExprId AfterOpen() override { return layout_.AfterOpen(grammar_, depth_); }
  ExprId Comma() override { return comma_; }
  ExprId Close(bool any) override {
    const ExprId gap = any ? layout_.BeforeClose(grammar_, depth_) : layout_.InEmpty(grammar_);
    return grammar_.Sequence({gap, grammar_.Bytes("}")});
  }
  ExprResult NamedKey(const std::string& name) override {
    const std::string spelled = SpellString(name);
    const bool excluded =
        rules_.excluded().AreIn(std::string_view(spelled).substr(1, spelled.size() - 2));
    return excluded ? grammar_.Never() : grammar_.Bytes(spelled);
  }
  ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId keys, AnyOtherKey(cell, plan));
    return rules_.excluded().Without(rules_.front(), keys);
  }
  ExprResult Member(ExprId key, FormulaId value) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, rules_.Value(value, depth_));
    return grammar_.Sequence({key, colon_, text});
  }

 private:
  ExprResult AnyOtherKey(const KeyCell& cell, const ObjectPlan& plan) {
    if (cell.keys != nullptr) return AppendStringOf(rules_.front(), *cell.keys);
    std::set<std::string> names;
    for (const ObjectPlan::Key& key : plan.keys) names.insert(key.name);
    if (rules_.excluded().none()) return AppendOtherNames(rules_.front(), names);
    return AppendString(rules_.front(), {.excluded = std::move(names)});
  }

  ValueRules& rules_;
  Grammar& grammar_;
  const Layout& layout_;
  int depth_;
  ExprId comma_, colon_;
};

}  // namespace

ExprResult AppendObject(ValueRules& rules, const Alternative& alternative, int depth) {
  JsonSpelling spelling(rules, depth + 1);
  return AppendObject(rules, alternative, spelling);
}

}  // namespace sglrun::grammar
