// The keys of additional properties: every JSON string except a list of names. Most
// open objects need it, so it is drawn directly instead of computed as a complement.
#pragma once

#include <set>
#include <string>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

// With its quotes. As long as a key agrees with the beginning of a name, its characters have one
// spelling, so that escapes cannot spell an excluded name. After that all escapes of JSON are
// accepted.
ExprResult AppendOtherNames(FrontEnd& front, const std::set<std::string>& names);

}  // namespace sglrun::grammar
