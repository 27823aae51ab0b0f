// A quick proof that some member of a grammar can be spelled: with bytes that are tokens by
// themselves. Vocabularies lack a byte now and then; hardly any grammar needs it.
#pragma once

#include <bitset>

#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/program.h"

namespace sglrun::grammar {

// Bytes that are the whole text of some token.
std::bitset<256> SingleBytes(const Vocabulary& vocabulary);

// Bytes that some token has in its text.
std::bitset<256> AllBytes(const Vocabulary& vocabulary);

// True only when there is a member of these bytes alone; false proves nothing. Linear in the
// program except for deep recursion, which it gives up on.
bool HasMemberOver(const Program& program, const std::bitset<256>& bytes);
// True only when every member needs another byte, whatever token elements it has.
bool LacksMemberOver(const Program& program, const std::bitset<256>& bytes);

}  // namespace sglrun::grammar
