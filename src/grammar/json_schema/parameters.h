// Objects as Qwen's models call functions (style qwen_xml):
//
//   <parameter=city>Paris</parameter><parameter=days>3</parameter>
//
// Strings stand raw between the tags, all other values as JSON. A reader takes the text up to the
// first </parameter>, and may strip blanks around it. So no string holds the closing tag; and one
// of which the schema asks something has no blanks at its ends, around it at most a line break
// each.
#pragma once

#include "grammar/json_schema/value_rules.h"

namespace sglrun::grammar {

// kUnsupported for objects that are listed whole (enum, const) and for names that cannot stand in a
// tag.
ExprResult AppendParameters(ValueRules& rules, FormulaId formula);

}  // namespace sglrun::grammar
