// Free text with triggers: text may be anything until one of some strings is completed, which
// forces what comes next (TagDispatch of EBNF, triggered_tags). One Aho-Corasick automaton, lowered
// to a Network.
#pragma once

#include <string>
#include <vector>

#include "grammar/front_end.h"

namespace sglrun::grammar {

struct TextDispatch {
  struct Pair {
    std::string trigger;  // not empty
    ExprId next = 0;      // what must follow the trigger
  };
  std::vector<Pair> pairs;
  enum class After : std::uint8_t { kFreeText, kEnd } after = After::kFreeText;  // after `next`
  std::vector<std::string> excludes;  // never completed inside the free text
  // Ends of the tag around: excludes too, and the text may end only where the first completed end
  // is the one that follows it ("`" cannot come right before the end "```").
  std::vector<std::string> ends;
};

// Where triggers end together ("ab" inside "xab"), the one that began first decides; an exclude or
// end that is completed forbids the byte, whatever trigger it completes as well.
ExprResult AppendTextDispatch(FrontEnd& front, const TextDispatch& dispatch);

// The same over token ids: any token that is neither trigger nor exclude is free.
struct TokenDispatch {
  struct Pair {
    std::int32_t trigger = 0;
    ExprId next = 0;
  };
  std::vector<Pair> pairs;
  TextDispatch::After after = TextDispatch::After::kFreeText;
  std::vector<std::int32_t> excludes;
};
ExprResult AppendTokenDispatch(FrontEnd& front, const TokenDispatch& dispatch);

}  // namespace sglrun::grammar
