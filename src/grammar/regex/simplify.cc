#include "grammar/regex/simplify.h"

#include <algorithm>

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

// The lengths that a node can match, anchors counted as empty.
struct Extent {
  bool can_be_empty = false;
  bool can_be_more = false;
};

std::vector<Extent> Extents(const RegexAst& ast) {
  std::vector<Extent> out(ast.nodes.size());
  for (std::size_t i = 0; i < ast.nodes.size(); ++i) {
    const RegexNode& node = ast.nodes[i];
    Extent& extent = out[i];
    const auto item = [&](RegexNodeId id) { return out[static_cast<std::size_t>(id)]; };
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kStart:
      case Kind::kEnd:
        extent = {true, false};
        break;
      case Kind::kNever:
        break;
      case Kind::kChars:
        extent = {false, true};
        break;
      case Kind::kSequence:
        extent = {true, false};
        for (const RegexNodeId id : node.items) {
          extent.can_be_empty &= item(id).can_be_empty;
          extent.can_be_more |= item(id).can_be_more;
        }
        break;
      case Kind::kChoice:
        for (const RegexNodeId id : node.items) {
          extent.can_be_empty |= item(id).can_be_empty;
          extent.can_be_more |= item(id).can_be_more;
        }
        break;
      case Kind::kRepeat:
        extent = {node.min == 0 || item(node.items[0]).can_be_empty,
                  node.max != 0 && item(node.items[0]).can_be_more};
        break;
    }
  }
  return out;
}

// The border on the far side of something of this extent.
AtBorder Beyond(AtBorder border, Extent extent) {
  if (!extent.can_be_more) return border;
  if (!extent.can_be_empty) return AtBorder::kNever;
  return border == AtBorder::kAlways ? AtBorder::kMaybe : border;
}

class Simplifier {
 public:
  explicit Simplifier(const RegexAst& ast) : ast_(ast), extents_(Extents(ast)) {}

  SimpleRegex Run(RegexNodeId root, AtBorder start) {
    out_.root = Copy(root, start, AtBorder::kAlways);
    return std::move(out_);
  }

 private:
  // As deep as groups are nested.
  RegexNodeId Copy(RegexNodeId id, AtBorder start, AtBorder end) {
    const RegexNode& node = ast_[id];
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kNever:
        return Add({node.kind});
      case Kind::kChars:
        return Add(node.chars->empty() ? RegexNode{Kind::kNever} : node);
      case Kind::kStart:
        return Anchor(node.kind, start);
      case Kind::kEnd:
        return Anchor(node.kind, end);
      case Kind::kSequence:
        return Sequence(node, start, end);
      case Kind::kChoice:
        return Choice(node, start, end);
      case Kind::kRepeat:
        return Repeat(node, start, end);
    }
    return Add({Kind::kNever});
  }

  RegexNodeId Anchor(Kind kind, AtBorder border) {
    if (border == AtBorder::kAlways) return Add({Kind::kEmpty});
    if (border == AtBorder::kNever) return Add({Kind::kNever});
    out_.has_anchors = true;
    return Add({kind});
  }

  RegexNodeId Sequence(const RegexNode& node, AtBorder start, AtBorder end) {
    std::vector<AtBorder> ends(node.items.size());
    for (std::size_t i = node.items.size(); i > 0; --i) {
      ends[i - 1] = end;
      end = Beyond(end, ExtentOf(node.items[i - 1]));
    }
    RegexNode out{Kind::kSequence};
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const RegexNodeId item = Copy(node.items[i], start, ends[i]);
      start = Beyond(start, ExtentOf(node.items[i]));
      if (out_[item].kind == Kind::kNever) return item;
      Collect(item, Kind::kEmpty, out);
    }
    return Close(std::move(out), Kind::kEmpty);
  }

  RegexNodeId Choice(const RegexNode& node, AtBorder start, AtBorder end) {
    RegexNode out{Kind::kChoice};
    for (const RegexNodeId id : node.items) Collect(Copy(id, start, end), Kind::kNever, out);
    return Close(std::move(out), Kind::kNever);
  }

  RegexNodeId Repeat(const RegexNode& node, AtBorder start, AtBorder end) {
    if (node.max == 0) return Add({Kind::kEmpty});
    const Extent extent = ExtentOf(node.items[0]);
    if (node.max != 1 && extent.can_be_more) {  // only the first, only the last touches a border
      if (start == AtBorder::kAlways) start = AtBorder::kMaybe;
      if (end == AtBorder::kAlways) end = AtBorder::kMaybe;
    }
    const RegexNodeId item = Copy(node.items[0], start, end);
    if (out_[item].kind == Kind::kNever) {
      return node.min == 0 ? Add({Kind::kEmpty}) : item;
    }
    if (out_[item].kind == Kind::kEmpty || (node.min == 1 && node.max == 1)) return item;
    return Add({Kind::kRepeat, nullptr, {item}, node.min, node.max});
  }

  // Adds an item to a sequence or choice, of its own kind in place, the neutral one not at all.
  void Collect(RegexNodeId item, Kind neutral, RegexNode& out) const {
    const RegexNode& node = out_[item];
    if (node.kind == neutral) return;
    if (node.kind == out.kind) {
      out.items.insert(out.items.end(), node.items.begin(), node.items.end());
    } else {
      out.items.push_back(item);
    }
  }

  RegexNodeId Close(RegexNode node, Kind neutral) {
    if (node.items.empty()) return Add({neutral});
    return node.items.size() == 1 ? node.items.front() : Add(std::move(node));
  }

  Extent ExtentOf(RegexNodeId id) const { return extents_[static_cast<std::size_t>(id)]; }
  RegexNodeId Add(RegexNode node) {
    out_.nodes.push_back(std::move(node));
    return static_cast<RegexNodeId>(out_.nodes.size() - 1);
  }

  const RegexAst& ast_;
  const std::vector<Extent> extents_;
  SimpleRegex out_;
};

}  // namespace

SimpleRegex Simplify(const RegexAst& ast, RegexNodeId root, AtBorder start) {
  return Simplifier(ast).Run(root, start);
}

}  // namespace sglrun::grammar
