// A regular expression as a tree. Captures, laziness and flags are gone: sets of characters hold
// what flags made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/base/limits.h"
#include "grammar/ir/front_end.h"
#include "text/char_set.h"

namespace sglrun::grammar {

using RegexNodeId = std::int32_t;

struct RegexNode {
  enum class Kind : std::uint8_t {
    kEmpty,     // the empty text
    kNever,     // no text
    kChars,     // one character of `chars`
    kStart,     // ^
    kEnd,       // $
    kSequence,  // of `items`
    kChoice,
    kRepeat,  // items[0]{min,max}; max may be kUnbounded
  };
  Kind kind = Kind::kEmpty;
  std::shared_ptr<const CharSet> chars = nullptr;
  std::vector<RegexNodeId> items = {};
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct RegexAst {
  std::vector<RegexNode> nodes;  // items come before the nodes that hold them

  // The alternatives of the whole pattern, at least one.
  std::vector<RegexNodeId> branches;
  // (?=body) and (?!body) at the very start of the first alternative.
  struct LookAhead {
    RegexNodeId body = 0;
    bool negative = false;
  };
  std::vector<LookAhead> look_aheads;

  RegexNodeId Add(RegexNode node) {
    nodes.push_back(std::move(node));
    return static_cast<RegexNodeId>(nodes.size() - 1);
  }
  const RegexNode& operator[](RegexNodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

// Reads a pattern. Messages name the place as a character offset, counted from 0.
Result<RegexAst, GrammarError> ParseRegex(std::string_view pattern, RegexFlags flags,
                                          const Limits& limits);

}  // namespace sglrun::grammar
