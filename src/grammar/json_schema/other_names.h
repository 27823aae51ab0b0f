// The keys of additional properties: every JSON string except a list of names. Most
// open objects need it, so it is drawn directly instead of computed as a complement.
#pragma once

#include <set>
#include <string>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

// With its quotes. While a key still agrees with a name its characters have the one spelling of
// 3.6, so that no escape can smuggle in a name; after that they have all spellings of 3.5.
ExprResult AppendOtherNames(FrontEnd& front, const std::set<std::string>& names);

}  // namespace sglrun::grammar
