#include "grammar/json_schema/parameters.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grammar/dispatch.h"
#include "grammar/json_schema/object_spelling.h"
#include "grammar/json_schema/string_language.h"

namespace sglrun::grammar {
namespace {

constexpr std::string_view kEnd = "</parameter>";
const CharSet& Blanks() {
  static const CharSet blanks{{' ', ' '}, {'\t', '\n'}};
  return blanks;
}

class ParameterSpelling final : public ObjectSpelling {
 public:
  explicit ParameterSpelling(ValueRules& rules)
      : rules_(rules), front_(rules.front()), grammar_(rules.grammar()) {}

  ExprId Open() override { return grammar_.Empty(); }
  ExprId AfterOpen() override { return Gap(); }
  ExprId Comma() override { return Gap(); }
  ExprId Close(bool) override { return Gap(); }

  ExprResult NamedKey(const std::string& name) override {
    const bool fits = !name.empty() && name.find_first_of("<>\n\t\r") == std::string::npos &&
                      name.front() != ' ' && name.back() != ' ';
    if (!fits) {
      return GrammarError{Verdict::kUnsupported,
                          "the property \"" + name + "\" cannot be named in <parameter=...>"};
    }
    return grammar_.Bytes("<parameter=" + name + ">");
  }

  // Keys that the schema does not name are identifiers.
  ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) override {
    const CharSet first{{'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    const CharSet more{{'-', '.'}, {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    Budget& budget = front_.budget;
    SGLRUN_ASSIGN_OR_RETURN(const Dfa tail, Repeat(OneOf(more), 0, std::nullopt, budget));
    SGLRUN_ASSIGN_OR_RETURN(Dfa keys, Concatenate(OneOf(first), tail, budget));
    if (cell.keys != nullptr) {
      SGLRUN_ASSIGN_OR_RETURN(keys, Intersect(keys, *cell.keys, budget));
    } else {
      std::vector<std::string> names;
      for (const ObjectPlan::Key& key : plan.keys) names.push_back(key.name);
      SGLRUN_ASSIGN_OR_RETURN(keys, Subtract(keys, Words(names), budget));
    }
    SGLRUN_ASSIGN_OR_RETURN(Dfa bytes, ToUtf8(keys, budget));
    return grammar_.Sequence(
        {grammar_.Bytes("<parameter="), grammar_.Regular(std::move(bytes)), grammar_.Bytes(">")});
  }

  ExprResult Member(ExprId key, FormulaId value) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, Value(value));
    return grammar_.Sequence({key, text, grammar_.Bytes(kEnd)});
  }

 private:
  ExprId Gap() { return rules_.layout().InEmpty(grammar_); }

  ExprResult Value(FormulaId formula) {
    const auto known = values_.find(formula);
    if (known != values_.end()) return known->second;
    std::vector<ExprId> choices;
    SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives strings,
                            rules_.normal_form().Alternatives(formula, Kind::kString));
    for (const Alternative& alternative : *strings) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId text, String(alternative));
      if (text != grammar_.Never()) choices.push_back(text);
    }
    SGLRUN_ASSIGN_OR_RETURN(const ExprId others, rules_.OtherThanStrings(formula));
    if (others != grammar_.Never()) {
      choices.push_back(grammar_.Sequence({Gap(), others, Gap()}));
    }
    const ExprId value = choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
    values_.emplace(formula, value);
    return value;
  }

  ExprResult String(Alternative alternative) {
    NormalForm& normal_form = rules_.normal_form();
    SGLRUN_RETURN_IF_ERROR(normal_form.Settle(alternative, Kind::kString));
    if (std::ranges::find(alternative.constraints, kFalse) != alternative.constraints.end()) {
      return grammar_.Never();
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto survivors,
                            normal_form.Survivors(alternative, Kind::kString));
    if (survivors) return Listed(*survivors);
    while (true) {
      const StringConstraints constraints = normal_form.StringsOf(alternative);
      if (constraints == StringConstraints{}) return AnyString();
      auto text = Bounded(constraints);
      if (text.ok()) return text;
      SGLRUN_ASSIGN_OR_RETURN(const bool again, normal_form.Blame(alternative, text.error()));
      if (!again) return text;
    }
  }

  ExprResult AnyString() {
    TextDispatch text;
    text.ends = {std::string(kEnd)};
    return AppendTextDispatch(front_, text);
  }

  ExprResult Listed(const std::vector<const Json*>& values) {
    std::vector<ExprId> texts;
    for (const Json* value : values) {
      const std::string& text = value->as_string();
      if (text.find(kEnd) == std::string::npos) texts.push_back(grammar_.Bytes(text));
    }
    if (texts.empty()) return grammar_.Never();
    return Wrapped(grammar_.Choice(std::move(texts)));
  }

  ExprResult Bounded(const StringConstraints& constraints) {
    Budget& budget = front_.budget;
    SGLRUN_ASSIGN_OR_RETURN(Dfa values, StringValues(constraints, budget));
    const std::vector<std::string> end = {std::string(kEnd)};
    SGLRUN_ASSIGN_OR_RETURN(Dfa bad, Concatenate(AnyText(), Words(end), budget));
    SGLRUN_ASSIGN_OR_RETURN(bad, Concatenate(bad, AnyText(), budget));
    SGLRUN_ASSIGN_OR_RETURN(const Dfa begins, Concatenate(OneOf(Blanks()), AnyText(), budget));
    SGLRUN_ASSIGN_OR_RETURN(const Dfa ends, Concatenate(AnyText(), OneOf(Blanks()), budget));
    for (const Dfa* unwanted : {&std::as_const(bad), &begins, &ends}) {
      SGLRUN_ASSIGN_OR_RETURN(values, Subtract(values, *unwanted, budget));
    }
    if (IsEmpty(values)) return grammar_.Never();
    SGLRUN_ASSIGN_OR_RETURN(Dfa bytes, ToUtf8(values, budget));
    return Wrapped(grammar_.Regular(std::move(bytes)));
  }

  ExprId Wrapped(ExprId text) {
    const ExprId line_break = grammar_.Optional(grammar_.Bytes("\n"));
    return grammar_.Sequence({line_break, text, line_break});
  }

  ValueRules& rules_;
  FrontEnd& front_;
  Grammar& grammar_;
  std::map<FormulaId, ExprId> values_;
};

}  // namespace

ExprResult AppendParameters(ValueRules& rules, FormulaId formula) {
  NormalForm& normal_form = rules.normal_form();
  SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives,
                          normal_form.Alternatives(formula, Kind::kObject));
  ParameterSpelling spelling(rules);
  std::vector<ExprId> choices;
  for (Alternative alternative : *alternatives) {
    SGLRUN_RETURN_IF_ERROR(normal_form.Settle(alternative, Kind::kObject));
    if (std::ranges::find(alternative.constraints, kFalse) != alternative.constraints.end()) {
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto survivors,
                            normal_form.Survivors(alternative, Kind::kObject));
    if (survivors) {
      return GrammarError{Verdict::kUnsupported,
                          "enum and const of the whole object are not offered in this style"};
    }
    SGLRUN_ASSIGN_OR_RETURN(const ExprId object, AppendObject(rules, alternative, spelling));
    choices.push_back(object);
  }
  if (choices.empty()) {
    return GrammarError{Verdict::kUnsatisfiable, "parameters are an object, which is not allowed"};
  }
  return rules.grammar().Choice(std::move(choices));
}

}  // namespace sglrun::grammar
