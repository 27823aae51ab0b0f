// Styles that continue inside arrays and objects.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/json_schema/styled_spelling.h"
#include "grammar/json_schema/styles.h"

namespace sglrun::grammar {
namespace {

constexpr KindSet kScalars =
    Only(Kind::kNull) | Only(Kind::kFalse) | Only(Kind::kTrue) | Only(Kind::kNumber);

// A mark for each group of kinds; names and items alike.
class CohereSpelling final : public StyledSpelling {
 public:
  explicit CohereSpelling(ValueRules& rules) : StyledSpelling(rules, {.barred = {kEnd}}) {}

  ExprResult NamedKey(const std::string& name) override {
    SGLRUN_RETURN_IF_ERROR(CheckName(name, ""));
    std::string escaped;
    for (const char c : name) {
      const auto at = kEscapes.find(c);
      escaped += at == kEscapes.end() ? std::string(1, c) : at->second;
    }
    return Name("<cofl:value name=\"", escaped, "\"");
  }
  ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId names, Identifiers(cell, plan));
    return grammar_.Sequence({grammar_.Bytes("<cofl:value name=\""), names, grammar_.Bytes("\"")});
  }
  ExprResult Member(ExprId key, FormulaId value) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, Value(value));
    return grammar_.Sequence({key, text});
  }

 private:
  static constexpr const char* kEnd = "</cofl:value>";
  static const std::map<char, std::string> kEscapes;

  ExprResult Item(FormulaId formula) override {
    return Member(grammar_.Bytes("<cofl:value"), formula);
  }
  ExprId BeforeItem(bool) override { return grammar_.Empty(); }
  ExprId CloseList(bool) override { return grammar_.Empty(); }

  ExprResult Value(FormulaId formula) {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId texts, Strings(formula));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId scalars, InJsonWithGaps(formula, kScalars));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId objects, Container(formula, Kind::kObject));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId arrays, Container(formula, Kind::kArray));
    const std::pair<const char*, ExprId> forms[] = {
        {"raw", texts}, {"json", scalars}, {"dict", objects}, {"list", arrays}};
    std::vector<ExprId> choices;
    for (const auto& [type, values] : forms) {
      if (values == grammar_.Never()) continue;
      const bool gaps = values == objects || values == arrays;
      const ExprId gap = gaps ? Gap() : grammar_.Empty();
      choices.push_back(grammar_.Sequence({grammar_.Bytes(" type=\"" + std::string(type) + "\">"),
                                           gap, values, gap, grammar_.Bytes(kEnd)}));
    }
    return choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
  }
};

const std::map<char, std::string> CohereSpelling::kEscapes = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

// What the two styles below have in common: a value is written in one form, whatever its kind.
class PlainlyNested : public StyledSpelling {
 protected:
  using StyledSpelling::StyledSpelling;

  ExprResult Value(FormulaId formula) {
    std::vector<ExprId> choices;
    SGLRUN_ASSIGN_OR_RETURN(const ExprId texts, Strings(formula));
    if (texts != grammar_.Never()) choices.push_back(Quoted(texts));
    SGLRUN_ASSIGN_OR_RETURN(choices.emplace_back(), InJson(formula, kScalars));
    SGLRUN_ASSIGN_OR_RETURN(choices.emplace_back(), Container(formula, Kind::kArray));
    SGLRUN_ASSIGN_OR_RETURN(choices.emplace_back(), Container(formula, Kind::kObject));
    std::erase(choices, grammar_.Never());
    return choices.empty() ? grammar_.Never() : grammar_.Choice(std::move(choices));
  }
  virtual ExprId Quoted(ExprId text) { return text; }
};

class MinimaxM3Spelling final : public PlainlyNested {
 public:
  explicit MinimaxM3Spelling(ValueRules& rules) : PlainlyNested(rules, {.barred = {kMark}}) {}

  ExprResult NamedKey(const std::string& name) override {
    SGLRUN_RETURN_IF_ERROR(CheckName(name, "<>/[]"));
    const ExprId key = Name(std::string(kMark) + "<", name, ">");
    names_[key] = name;
    return key;
  }
  ExprResult OtherKey(const KeyCell&, const ObjectPlan&) override {
    return GrammarError{Verdict::kUnsupported,
                        "properties that the schema does not name are not offered in this style"};
  }
  ExprResult Member(ExprId key, FormulaId value) override {
    if (key == grammar_.Never()) return key;
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, Value(value));
    return grammar_.Sequence(
        {key, text, grammar_.Bytes(std::string(kMark) + "</" + names_.at(key) + ">")});
  }

 private:
  static constexpr const char* kMark = "]<]minimax[>[";

  ExprResult Item(FormulaId formula) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId key, NamedKey("item"));
    return Member(key, formula);
  }
  ExprId BeforeItem(bool) override { return Gap(); }
  ExprId CloseList(bool any) override { return any ? Gap() : grammar_.Empty(); }

  std::map<ExprId, std::string> names_;
};

// JSON except for keys without quotes and strings between marks. Any value may be the whole.
class GemmaSpelling final : public PlainlyNested {
 public:
  explicit GemmaSpelling(ValueRules& rules)
      : PlainlyNested(rules, {.barred = {kQuote}, .trimmed = false}) {}

  ExprId Open() override { return grammar_.Bytes("{"); }
  ExprId AfterOpen() override { return rules_.layout().AfterOpen(grammar_, kDepth); }
  ExprId Comma() override { return rules_.layout().Comma(grammar_, kDepth); }
  ExprId Close(bool any) override {
    return grammar_.Sequence({BeforeEnd(any), grammar_.Bytes("}")});
  }
  ExprResult NamedKey(const std::string& name) override {
    SGLRUN_RETURN_IF_ERROR(CheckName(name, "{}[]:,<>|\""));
    return Name("", name);
  }
  ExprResult OtherKey(const KeyCell& cell, const ObjectPlan& plan) override {
    return Identifiers(cell, plan);
  }
  ExprResult Member(ExprId key, FormulaId value) override {
    SGLRUN_ASSIGN_OR_RETURN(const ExprId text, Value(value));
    return grammar_.Sequence({key, rules_.layout().Colon(grammar_), text});
  }

 private:
  static constexpr const char* kQuote = "<|\"|>";
  static constexpr int kDepth = 1;  // members are indented alike at every depth

  ExprResult Root(FormulaId formula) override { return Value(formula); }
  ExprId Quoted(ExprId text) override {
    const ExprId quote = grammar_.Bytes(kQuote);
    return grammar_.Sequence({quote, text, quote});
  }
  ExprId OpenList() override { return grammar_.Bytes("["); }
  ExprResult Item(FormulaId formula) override { return Value(formula); }
  ExprId BeforeItem(bool first) override { return first ? AfterOpen() : Comma(); }
  ExprId CloseList(bool any) override {
    return grammar_.Sequence({BeforeEnd(any), grammar_.Bytes("]")});
  }
  ExprId BeforeEnd(bool any) { return any ? rules_.layout().BeforeClose(grammar_, kDepth) : Gap(); }
};

}  // namespace

ExprResult AppendCohere(ValueRules& rules, FormulaId formula) {
  return CohereSpelling(rules).Whole(formula);
}

ExprResult AppendMinimaxM3(ValueRules& rules, FormulaId formula) {
  return MinimaxM3Spelling(rules).Whole(formula);
}

ExprResult AppendGemma(ValueRules& rules, FormulaId formula) {
  return GemmaSpelling(rules).Whole(formula);
}

ExprResult AppendStyled(ValueRules& rules, FormulaId formula, JsonStyle style) {
  if (style == JsonStyle::kCohereXml) return AppendCohere(rules, formula);
  if (style == JsonStyle::kMinimaxM3Xml) return AppendMinimaxM3(rules, formula);
  if (style == JsonStyle::kGemma) return AppendGemma(rules, formula);
  return AppendParameters(rules, formula, style);
}

}  // namespace sglrun::grammar
