// Name(...) in the place of an element: Regex, Token, ExcludeToken,
// TagDispatch, TokenTagDispatch, Substring.
#pragma once

#include <functional>
#include <string_view>

#include "grammar/ebnf/scanner.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar::ebnf {

bool IsMacro(std::string_view name);

// A rule named at an offset; rules may be named before they are defined.
using CallRule = std::function<ExprId(std::string_view name, std::size_t pos)>;

// The scanner is at the opening parenthesis after the name and ends after the closing one.
ExprResult TakeMacro(FrontEnd& front, Scanner& scanner, std::string_view name,
                     const CallRule& call_rule);

}  // namespace sglrun::grammar::ebnf
