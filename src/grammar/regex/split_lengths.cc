#include "grammar/regex/split_lengths.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

// Smaller counts are as well unrolled.
constexpr std::int64_t kLargeCount = 32;
constexpr std::int64_t kLongest = std::int64_t{1} << 40;

// The only length that each node can match; nothing where there are several, or none.
std::vector<std::optional<std::int64_t>> OnlyLengths(const SimpleRegex& regex) {
  std::vector<std::optional<std::int64_t>> lengths;
  const auto of = [&](RegexNodeId id) { return lengths[static_cast<std::size_t>(id)]; };
  for (const RegexNode& node : regex.nodes) {
    std::optional<std::int64_t> length;
    switch (node.kind) {
      case Kind::kEmpty:
        length = 0;
        break;
      case Kind::kChars:
        length = 1;
        break;
      case Kind::kSequence:
        length = 0;
        for (const RegexNodeId item : node.items) {
          if (length) length = of(item) ? std::optional(*length + *of(item)) : std::nullopt;
        }
        break;
      case Kind::kChoice:
        length = of(node.items[0]);
        for (const RegexNodeId item : node.items) {
          if (of(item) != length) length.reset();
        }
        break;
      case Kind::kRepeat:
        if (node.min == node.max && of(node.items[0])) length = node.min * *of(node.items[0]);
        break;
      case Kind::kNever:
      case Kind::kStart:
      case Kind::kEnd:
        break;
    }
    if (length && *length > kLongest) length.reset();
    lengths.push_back(length);
  }
  return lengths;
}

class Splitter {
 public:
  explicit Splitter(SimpleRegex& regex) : regex_(regex), lengths_(OnlyLengths(regex)) {}

  LengthBounds Split() {
    std::int64_t fixed = 0;  // characters beside the repetition
    std::vector<RegexNodeId> path{regex_.root};
    while (regex_[path.back()].kind == Kind::kSequence) {
      const std::optional<RegexNodeId> open = OnlyOpenItem(regex_[path.back()], fixed);
      if (!open) return {};
      path.push_back(*open);
    }
    const RegexNode repeat = regex_[path.back()];
    if (repeat.kind != Kind::kRepeat || std::max(repeat.min, repeat.max) <= kLargeCount) return {};
    const std::optional<std::int64_t> each = LengthOf(repeat.items[0]);
    if (!each || *each == 0 || repeat.max > kLongest / *each || repeat.min > kLongest / *each) {
      return {};
    }
    Replace(path, {Kind::kRepeat, nullptr, repeat.items, 0, kUnbounded});
    return {fixed + repeat.min * *each,
            repeat.max == kUnbounded ? kUnbounded : fixed + repeat.max * *each};
  }

 private:
  std::optional<std::int64_t> LengthOf(RegexNodeId id) const {
    return lengths_[static_cast<std::size_t>(id)];
  }
  // A repetition of one count has one length too, and may yet be large.
  bool IsLarge(RegexNodeId id) const {
    const RegexNode& node = regex_[id];
    return node.kind == Kind::kRepeat && std::max(node.min, node.max) > kLargeCount;
  }

  std::optional<RegexNodeId> OnlyOpenItem(const RegexNode& sequence, std::int64_t& fixed) const {
    std::optional<RegexNodeId> open;
    for (const RegexNodeId item : sequence.items) {
      if (LengthOf(item) && (open || !IsLarge(item))) {
        fixed += *LengthOf(item);
      } else if (open) {
        return std::nullopt;
      } else {
        open = item;
      }
    }
    return open;
  }

  // Items come before the nodes that hold them, so the changed nodes are added again.
  void Replace(const std::vector<RegexNodeId>& path, RegexNode changed) {
    for (std::size_t i = path.size(); i-- > 0;) {
      regex_.nodes.push_back(std::move(changed));
      const auto id = static_cast<RegexNodeId>(regex_.nodes.size() - 1);
      if (i == 0) {
        regex_.root = id;
        return;
      }
      changed = regex_[path[i - 1]];
      std::ranges::replace(changed.items, path[i], id);
    }
  }

  SimpleRegex& regex_;
  const std::vector<std::optional<std::int64_t>> lengths_;
};

}  // namespace

LengthBounds SplitLengths(SimpleRegex& regex) {
  return regex.has_anchors ? LengthBounds{} : Splitter(regex).Split();
}

}  // namespace sglrun::grammar
