// What Unicode says of characters, asked of PCRE2 once a process and kept. Only unicode_sets.cc
// sees PCRE2.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/char_set.h"

namespace sglrun::grammar {

// The characters of \p{name}: a general category, Script=..., or a binary property; nullptr when
// there is no such property. Safe to call from many threads.
std::shared_ptr<const CharSet> UnicodeProperty(std::string_view name);

// Characters that some engine takes for each other when case is ignored, in groups of two or more.
const std::vector<std::vector<char32_t>>& CaseGroups();

}  // namespace sglrun::grammar
