#include "grammar/regex/regex_nfa.h"

#include <algorithm>
#include <array>
#include <string>

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

// Anchors that depend on the text need to know two things of it: whether something was read, and
// whether a $ was passed, after which nothing may be read. With such anchors every state is there
// once for each answer.
enum Layer : Nfa::State { kFresh, kRead, kFreshClosed, kReadClosed, kLayers };

class Builder {
 public:
  // Repetitions may add the limit to what stands in the pattern.
  Builder(const SimpleRegex& regex, const Limits& limits)
      : regex_(regex),
        layers_(regex.has_anchors ? Nfa::State{kLayers} : 1),
        limit_(limits.expanded_states + 2 * static_cast<std::int64_t>(regex.nodes.size())),
        limits_(limits) {
    for (Nfa::State layer = 1; layer < layers_; ++layer) nfa_.AddState();
  }

  Result<Nfa, GrammarError> Run(RegexNodeId node) {
    const Place end = end_ = AddPlace();
    Build(node, 0, end);
    if (IsTooLarge()) {
      return GrammarError{Verdict::kTooLarge, "regex: its repetitions need more than " +
                                                  std::to_string(limits_.expanded_states) +
                                                  " states when unrolled"};
    }
    for (Nfa::State layer = 0; layer < layers_; ++layer) nfa_.Accept(At(end, layer));
    return std::move(nfa_);
  }

 private:
  using Place = std::int32_t;  // all layers of a state
  static constexpr std::int64_t kEdgesPerPlace = 16;

  // As deep as groups are nested. Stops adding once the limit is passed.
  void Build(RegexNodeId id, Place from, Place to) {
    if (IsTooLarge()) return;
    const RegexNode& node = regex_[id];
    switch (node.kind) {
      case Kind::kEmpty:
        return AddEpsilon(from, to);
      case Kind::kNever:
        return;
      case Kind::kChars:
        return AddChars(from, to, *node.chars);
      case Kind::kStart:
        return AddStart(from, to);
      case Kind::kEnd:
        return AddEnd(from, to);
      case Kind::kSequence:
        for (std::size_t i = 0; i + 1 < node.items.size(); ++i) {
          const Place next = AddPlace();
          Build(node.items[i], from, next);
          from = next;
        }
        return Build(node.items.back(), from, to);
      case Kind::kChoice:
        for (const RegexNodeId item : node.items) Build(item, from, to);
        return;
      case Kind::kRepeat:
        return BuildRepeat(node, from, to);
    }
  }

  void BuildRepeat(const RegexNode& node, Place from, Place to) {
    const RegexNodeId item = node.items[0];
    const bool open = node.max == kUnbounded;
    if (to == end_ && open && node.min == 0 && IsAnyChar(item)) return AddAnyRest(from, to);
    const std::int64_t copies = open ? std::max<std::int64_t>(node.min, 1) - 1 : node.max;
    for (std::int64_t i = 0; i < copies && !IsTooLarge(); ++i) {
      if (i >= node.min) AddEpsilon(from, to);
      const Place next = AddPlace();
      Build(item, from, next);
      from = next;
    }
    if (open) {  // one more copy, as often as wanted
      const Place before = AddPlace(), after = AddPlace();
      AddEpsilon(from, before);
      Build(item, before, after);
      AddEpsilon(after, before);
      AddEpsilon(after, to);
      if (node.min > 0) return;
    }
    AddEpsilon(from, to);
  }

  bool IsAnyChar(RegexNodeId id) const {
    return regex_[id].kind == Kind::kChars && *regex_[id].chars == CharSet::All();
  }
  // Whatever is left of the text, unless a $ was passed.
  void AddAnyRest(Place from, Place to) {
    AddEpsilon(from, to);
    nfa_.AcceptAnything(At(from, kFresh));
    if (layers_ > 1) nfa_.AcceptAnything(At(from, kRead));
  }

  bool IsTooLarge() const { return places_ > limit_ || edges_ > kEdgesPerPlace * limit_; }

  Place AddPlace() {
    for (Nfa::State layer = 0; layer < layers_; ++layer) nfa_.AddState();
    return places_++;
  }
  Nfa::State At(Place place, Nfa::State layer) const { return place * layers_ + layer; }

  void AddChars(Place from, Place to, const CharSet& chars) {
    ++edges_;
    if (layers_ == 1) return nfa_.AddEdge(from, to, chars);
    nfa_.AddEdge(At(from, kFresh), At(to, kRead), chars);
    nfa_.AddEdge(At(from, kRead), At(to, kRead), chars);
  }
  void AddEpsilon(Place from, Place to) {
    ++edges_;
    for (Nfa::State layer = 0; layer < layers_; ++layer) {
      nfa_.AddEpsilon(At(from, layer), At(to, layer));
    }
  }
  void AddStart(Place from, Place to) {
    ++edges_;
    for (const Layer layer : {kFresh, kFreshClosed}) {
      nfa_.AddEpsilon(At(from, layer), At(to, layer));
    }
  }
  void AddEnd(Place from, Place to) {
    ++edges_;
    constexpr std::array<Layer, kLayers> kClosed{kFreshClosed, kReadClosed, kFreshClosed,
                                                 kReadClosed};
    for (Nfa::State layer = 0; layer < kLayers; ++layer) {
      nfa_.AddEpsilon(At(from, layer), At(to, kClosed[static_cast<std::size_t>(layer)]));
    }
  }

  const SimpleRegex& regex_;
  const Nfa::State layers_;
  const std::int64_t limit_;
  const Limits& limits_;
  Nfa nfa_;
  Place places_ = 1;
  Place end_ = 0;  // of the whole; no edge leaves it
  std::int64_t edges_ = 0;
};

}  // namespace

Result<Nfa, GrammarError> BuildNfa(const SimpleRegex& regex, RegexNodeId node,
                                   const Limits& limits) {
  return Builder(regex, limits).Run(node);
}

}  // namespace sglrun::grammar
