// Values as families of models write the arguments of a function, for the styles of the format
// json_schema of structural tags. Between the marks of a style strings stand raw, as they are, and
// other values as JSON:
//
//   qwen_xml             <parameter=city>Paris</parameter>
//   minimax_xml          <parameter name="city">Paris</parameter>
//   deepseek_xml         <|DSML|parameter name="city" string="true">Paris</|DSML|parameter>
//   deepseek_v4_1_xml    <|DSML| parameter name="city" string="true">Paris</|DSML| parameter>
//   glm_xml              <arg_key>city</arg_key><arg_value>Paris</arg_value>
//   kimi_k3_xml          <|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>
//
// (the bars around DSML are U+FF5C). Three styles continue inside arrays and objects:
//
//   cohere_xml           <cofl:value name="city" type="raw">Paris</cofl:value>
//   minimax_m3_xml       ]<]minimax[>[<city>Paris]<]minimax[>[</city>
//   gemma                {city:<|"|>Paris<|"|>,days:3}
//
// A reader takes a text up to the mark that follows it, so no string holds that mark.
#pragma once

#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

// `style` is not kJson. kUnsupported for objects and arrays that are listed whole (enum, const),
// and for names that cannot stand in the marks.
ExprResult AppendStyled(ValueRules& rules, FormulaId formula, JsonStyle style);

// Those of the first table; cohere_xml; minimax_m3_xml; gemma.
ExprResult AppendParameters(ValueRules& rules, FormulaId formula, JsonStyle style);
ExprResult AppendCohere(ValueRules& rules, FormulaId formula);
ExprResult AppendMinimaxM3(ValueRules& rules, FormulaId formula);
ExprResult AppendGemma(ValueRules& rules, FormulaId formula);

}  // namespace sglrun::grammar
