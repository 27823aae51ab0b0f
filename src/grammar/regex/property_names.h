// The names that \p{..} understands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sglrun::grammar {

// How PCRE2 calls a property that a pattern names the ECMA-262 way ("Lu", "Uppercase_Letter",
// "General_Category=Lu", "Script=Greek", "Alphabetic") or as a bare script ("Greek"); "" for names
// that cannot be one. A script that PCRE2 does not know is found out when it is asked.
std::string PcrePropertyName(std::string_view name);

// The short and the long name of each General_Category.
std::span<const std::pair<std::string_view, std::string_view>> GeneralCategories();

}  // namespace sglrun::grammar
