// Takes out of an expression what is decided before any text is read: anchors whose place is known,
// branches that match nothing, empty texts.
#pragma once

#include <vector>

#include "grammar/regex/ast.h"

namespace sglrun::grammar {

// Whether a place is the border of the text: in "a?^b" the anchor may stand at the start.
enum class AtBorder : std::uint8_t { kAlways, kNever, kMaybe };

struct SimpleRegex {
  std::vector<RegexNode> nodes;  // items come before the nodes that hold them
  RegexNodeId root = 0;
  bool has_anchors = false;  // some remain, because what they say depends on the text

  const RegexNode& operator[](RegexNodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

// `root` must match up to the end of the text; `start` says where the match begins.
SimpleRegex Simplify(const RegexAst& ast, RegexNodeId root, AtBorder start);

}  // namespace sglrun::grammar
