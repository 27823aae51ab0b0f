// Styles that write an object as a row of parameters, each with its name and a value that is a
// string or JSON.
#include <string>
#include <string_view>
#include <vector>

#include "grammar/json_schema/styled_spelling.h"
#include "grammar/json_schema/styles.h"

namespace sglrun::grammar {
namespace {

constexpr KindSet kStrings = Only(Kind::kString);
constexpr KindSet kOthers = kEveryKind & ~kStrings;
constexpr KindSet kBooleans = Only(Kind::kFalse) | Only(Kind::kTrue);

// What follows the name of a parameter whose value is of one of the kinds; a gap may stand between
// the two marks.
struct AfterName {
  KindSet kinds;
  std::string_view mark, second_mark = "";
};

struct ParameterStyle {
  std::string_view begin, end;
  std::vector<AfterName> after;
  std::string_view barred;  // characters that stand in no name
  bool line_breaks = false;
};

const ParameterStyle& StyleOf(JsonStyle style) {
  static const ParameterStyle qwen{
      "<parameter=", "</parameter>", {{kEveryKind, ">"}}, "<>", /*line_breaks=*/true};
  static const ParameterStyle minimax{
      "<parameter name=\"", "</parameter>", {{kEveryKind, "\">"}}, "<>\""};
  static const ParameterStyle deepseek{
      "<｜DSML｜parameter name=\"",
      "</｜DSML｜parameter>",
      {{kStrings, "\" string=\"true\">"}, {kOthers, "\" string=\"false\">"}},
      "<>\""};
  static const ParameterStyle deepseek_v41{
      "<｜DSML｜ parameter name=\"",
      "</｜DSML｜ parameter>",
      {{kStrings, "\" string=\"true\">"}, {kOthers, "\" string=\"false\">"}},
      "<>\""};
  static const ParameterStyle glm{
      "<arg_key>", "</arg_value>", {{kEveryKind, "</arg_key>", "<arg_value>"}}, "<>"};
  static const ParameterStyle kimi{"<|open|>argument key=\"",
                                   "<|close|>argument<|sep|>",
                                   {{kStrings, "\" type=\"string\"<|sep|>"},
                                    {Only(Kind::kNumber), "\" type=\"number\"<|sep|>"},
                                    {kBooleans, "\" type=\"boolean\"<|sep|>"},
                                    {Only(Kind::kNull), "\" type=\"null\"<|sep|>"},
                                    {Only(Kind::kArray), "\" type=\"array\"<|sep|>"},
                                    {Only(Kind::kObject), "\" type=\"object\"<|sep|>"}},
                                   "<>\"&|"};
  switch (style) {
    case JsonStyle::kMinimaxXml:
      return minimax;
    case JsonStyle::kDeepseekXml:
      return deepseek;
    case JsonStyle::kDeepseekV41Xml:
      return deepseek_v41;
    case JsonStyle::kGlmXml:
      return glm;
    case JsonStyle::kKimiK3Xml:
      return kimi;
    default:
      return qwen;
  }
}

class ParameterSpelling final : public StyledSpelling {
 public:
  ParameterSpelling(ValueRules& rules, const ParameterStyle& style)
      : StyledSpelling(rules,
                       {.barred = {std::string(style.end)}, .line_breaks = style.line_breaks}),
        style_(style) {}

  ExprResult NamedKey(const std::string& name) override {
    SGLRUN_RETURN_IF_ERROR(CheckName(name, style_.barred));
    return Name(std::string(style_.begin), name);
  }

  ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId names, Identifiers(cell, plan));
    return grammar_.Sequence({grammar_.Bytes(style_.begin), names});
  }

  ExprResult Member(ExprId key, FormulaId value) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, Value(value));
    return grammar_.Sequence({key, text, grammar_.Bytes(style_.end)});
  }

 private:
  // Arrays stand in parameters as JSON.
  ExprResult Item(FormulaId) override { return grammar_.Never(); }
  ExprId BeforeItem(bool) override { return grammar_.Empty(); }
  ExprId CloseList(bool) override { return grammar_.Empty(); }

  ExprResult Value(FormulaId formula) {
    const auto known = values_.find(formula);
    if (known != values_.end()) return known->second;
    std::vector<ExprId> choices;
    for (const AfterName& after : style_.after) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId value, OfKinds(formula, after.kinds));
      if (value == grammar_.Never()) continue;
      choices.push_back(grammar_.Sequence({Marks(after), value}));
    }
    return values_[formula] =
               choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
  }

  ExprId Marks(const AfterName& after) {
    const ExprId first = grammar_.Bytes(after.mark);
    if (after.second_mark.empty()) return first;
    return grammar_.Sequence({first, Gap(), grammar_.Bytes(after.second_mark)});
  }

  ExprResult OfKinds(FormulaId formula, KindSet kinds) {
    std::vector<ExprId> choices;
    if (Has(kinds, Kind::kString)) {
      SGLRUN_ASSIGN_OR_RETURN(choices.emplace_back(), Strings(formula));
    }
    SGLRUN_ASSIGN_OR_RETURN(choices.emplace_back(),
                            InJsonWithGaps(formula, static_cast<KindSet>(kinds & kOthers)));
    std::erase(choices, grammar_.Never());
    return choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
  }

  const ParameterStyle& style_;
  std::map<FormulaId, ExprId> values_;
};

}  // namespace

ExprResult AppendParameters(ValueRules& rules, FormulaId formula, JsonStyle style) {
  return ParameterSpelling(rules, StyleOf(style)).Whole(formula);
}

}  // namespace sglrun::grammar
