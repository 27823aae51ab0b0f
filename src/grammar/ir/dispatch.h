// Free text with triggers: text is free until one of several strings is completed, which determines
// how it must continue (TagDispatch of EBNF, triggered_tags). One Aho-Corasick automaton, lowered
// to a Network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

struct TextDispatch {
  struct Pair {
    std::string trigger;  // not empty
    ExprId next = 0;      // what must follow the trigger
  };
  std::vector<Pair> pairs;
  enum class After : std::uint8_t { kFreeText, kEnd } after = After::kFreeText;  // after `next`
  std::vector<std::string> excludes;  // never completed inside the free text, triggers included
  // Texts with which the free text must not end, because the following text would then complete an
  // end too early ("`" must not be directly before the end "```").
  std::vector<std::string> tails;
};

// If several triggers end at the same place ("ab" inside "xab"), the one that began first applies.
// A complete trigger determines how the text continues, unless the text continues to complete a
// longer one that began no later ("<b" and "<", "abc" and "b"). A byte that completes an exclude is
// forbidden, even if it also completes a trigger.
ExprResult AppendTextDispatch(FrontEnd& front, const TextDispatch& dispatch);

// A trigger that can never be written, since an exclude occurs in it.
struct DeadTrigger {
  std::size_t pair = 0, exclude = 0;
};
Result<std::optional<DeadTrigger>, GrammarError> FindDeadTrigger(const TextDispatch& dispatch,
                                                                 Budget& budget);

// The same over token ids: any token that is neither trigger nor exclude is free. Pairs with one
// trigger are a choice.
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
