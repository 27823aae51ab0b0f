// The front door: settings of the schema itself, then document, formulas, rules.
#include <utility>

#include "grammar/ir/front_end.h"
#include "grammar/json_schema/document.h"
#include "grammar/json_schema/settings.h"
#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

ExprResult AppendJsonSchema(FrontEnd& front, std::string_view text, std::string_view pointer,
                            const SchemaSpelling& spelling) {
  const JsonStyle style = spelling.style;
  if (text == "$$ANY$$") text = R"({"type": ["object", "array"]})";
  SGLRUN_ASSIGN_OR_RETURN(const auto document, Document::Create(text, pointer, front));
  SGLRUN_ASSIGN_OR_RETURN(const SchemaSettings settings,
                          SchemaSettings::From(*document, front.options));
  Formulas formulas;
  NormalForm normal_form(*document, formulas, front, settings.mode == ClosingMode::kStrict);
  ValueRules rules(normal_form, settings.layout, settings.any_order,
                   ExcludedTexts(spelling.excludes));
  const FormulaId whole = formulas.AtPlace({document->root()});
  SGLRUN_ASSIGN_OR_RETURN(const bool empty, normal_form.IsEmpty(whole));
  if (empty) {
    return document->ErrorAt(document->root(), "", Verdict::kUnsatisfiable,
                             "allows no value at all");
  }
  ExprResult written =
      style == JsonStyle::kJson ? rules.Whole(whole) : rules.WholeStyled(whole, style);
  normal_form.ListWeakened();
  if (written.ok() || style == JsonStyle::kJson || !written.error().pointer.empty()) return written;
  return document->ErrorAt(document->root(), "", written.error().verdict, written.error().message);
}

}  // namespace sglrun::grammar
