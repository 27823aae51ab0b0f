// How the values of enum and const are written: strings with necessary escapes
// only, numbers as the schema spells them and, when integral, in plain digits too, containers by
// the layout with keys in the given order.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "grammar/ir/front_end.h"
#include "grammar/json_schema/layout.h"

namespace sglrun::grammar {

// A choice of the values; Never when there are none. They come from ParseSchemaText. `depth`: of
// the values themselves (0 for a whole text).
ExprResult AppendValues(FrontEnd& front, const std::vector<const Json*>& values,
                        const Layout& layout, int depth);

// kTooLarge when an automaton of all the words would have more states than Limits::nodes allows.
Result<void, GrammarError> CheckWords(const std::vector<std::string>& words, const Limits& limits);

// The text of a string value with its quotes and necessary escapes only; named keys are written in
// the same way.
std::string SpellString(std::string_view utf8);

}  // namespace sglrun::grammar
