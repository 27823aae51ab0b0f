#include "grammar/automaton/dfa.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

std::vector<Dfa::Edge> EdgesOn(const CharSet& chars, std::int32_t target) {
  std::vector<Dfa::Edge> edges;
  for (const CharRange& range : chars.ranges()) edges.push_back({range.first, range.last, target});
  return edges;
}

// States from which a text is accepted, and whether they accept finitely many texts.
class Finiteness {
 public:
  explicit Finiteness(const Dfa& dfa) : dfa_(dfa), mark_(dfa.states.size(), Mark::kNew) {}

  // States in an order in which edges between useful states lead backwards; nothing when useful
  // states have a cycle. Depth-first, with the stack in memory.
  std::optional<std::vector<std::int32_t>> Order() {
    std::vector<std::int32_t> order;
    if (dfa_.states.empty()) return order;
    useful_ = Useful();
    if (!useful_[0]) return order;
    struct Place {
      std::int32_t state;
      std::size_t edge;
    };
    std::vector<Place> path{{0, 0}};
    mark_[0] = Mark::kOnPath;
    while (!path.empty()) {
      const auto [state, edge] = path.back();
      const auto& edges = dfa_.states[U(state)].edges;
      if (edge == edges.size()) {
        mark_[U(state)] = Mark::kDone;
        order.push_back(state);
        path.pop_back();
        continue;
      }
      ++path.back().edge;
      const std::int32_t target = edges[edge].target;
      if (!useful_[U(target)] || mark_[U(target)] == Mark::kDone) continue;
      if (mark_[U(target)] == Mark::kOnPath) return std::nullopt;
      mark_[U(target)] = Mark::kOnPath;
      path.push_back({target, 0});
    }
    return order;
  }

  bool IsUseful(std::int32_t state) const { return useful_[U(state)]; }

 private:
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };

  std::vector<bool> Useful() const {
    std::vector<std::vector<std::int32_t>> before(dfa_.states.size());
    std::vector<bool> useful(dfa_.states.size());
    std::vector<std::int32_t> stack;
    for (std::size_t s = 0; s < dfa_.states.size(); ++s) {
      for (const Dfa::Edge& edge : dfa_.states[s].edges) {
        before[U(edge.target)].push_back(static_cast<std::int32_t>(s));
      }
      if (dfa_.states[s].accepting) useful[s] = true, stack.push_back(static_cast<std::int32_t>(s));
    }
    while (!stack.empty()) {
      const std::int32_t state = stack.back();
      stack.pop_back();
      for (const std::int32_t s : before[U(state)]) {
        if (!useful[U(s)]) useful[U(s)] = true, stack.push_back(s);
      }
    }
    return useful;
  }

  const Dfa& dfa_;
  std::vector<Mark> mark_;
  std::vector<bool> useful_;
};

}  // namespace

std::int32_t Dfa::Next(std::int32_t state, std::uint32_t symbol) const {
  const auto& edges = states[U(state)].edges;
  const auto after = std::ranges::upper_bound(edges, symbol, {}, &Edge::first);
  if (after == edges.begin() || symbol > (after - 1)->last) return -1;
  return (after - 1)->target;
}

bool Dfa::Accepts(std::span<const std::uint32_t> symbols) const {
  if (states.empty()) return false;
  std::int32_t state = 0;
  for (const std::uint32_t symbol : symbols) {
    state = Next(state, symbol);
    if (state < 0) return false;
  }
  return states[U(state)].accepting;
}

Dfa NoText() {
  return {};
}

Dfa EmptyText() {
  return {{{{}, true}}};
}

Dfa AnyText() {
  return {{{EdgesOn(CharSet::All(), 0), true}}};
}

Dfa OneOf(const CharSet& chars) {
  if (chars.empty()) return {};
  return {{{EdgesOn(chars, 1), false}, {{}, true}}};
}

Dfa ExactText(std::string_view utf8) {
  Dfa out;
  for (std::size_t pos = 0; pos < utf8.size();) {
    const char32_t c = DecodeUtf8(utf8, pos);
    const auto next = static_cast<std::int32_t>(out.states.size()) + 1;
    out.states.push_back({{{c, c, next}}, false});
  }
  out.states.push_back({{}, true});
  return out;
}

DfaResult LengthBetween(std::int64_t min, std::optional<std::int64_t> max, Budget& budget) {
  min = std::max<std::int64_t>(min, 0);
  if (max && *max < min) return NoText();
  const std::int64_t last = max ? *max : min;
  const std::int64_t limit = budget.limits().automaton_states;
  if (last >= limit) {
    return GrammarError{Verdict::kTooLarge,
                        "a length of " + std::to_string(last) + " characters needs more than " +
                            std::to_string(limit) + " states beside other constraints"};
  }
  Dfa out;
  out.states.reserve(static_cast<std::size_t>(last) + 1);
  for (std::int64_t i = 0; i <= last; ++i) {
    const auto next = static_cast<std::int32_t>(i) + (i < last ? 1 : 0);
    const bool ends = i == last && max;
    out.states.push_back(
        {ends ? std::vector<Dfa::Edge>{} : EdgesOn(CharSet::All(), next), i >= min});
  }
  return out;
}

bool IsEmpty(const Dfa& a) {
  if (a.states.empty()) return true;
  std::vector<bool> reached(a.states.size());
  std::vector<std::int32_t> stack{0};
  reached[0] = true;
  while (!stack.empty()) {
    const Dfa::State& state = a.states[U(stack.back())];
    stack.pop_back();
    if (state.accepting) return false;
    for (const Dfa::Edge& edge : state.edges) {
      if (reached[U(edge.target)]) continue;
      reached[U(edge.target)] = true;
      stack.push_back(edge.target);
    }
  }
  return true;
}

std::optional<std::vector<std::u32string>> Members(const Dfa& a, std::size_t limit) {
  Finiteness finiteness(a);
  const auto order = finiteness.Order();
  if (!order) return std::nullopt;
  std::vector<std::u32string> out;
  if (order->empty()) return out;

  // Counts before spelling any text; counting stops just above the limit.
  std::vector<std::size_t> count(a.states.size());
  for (const std::int32_t state : *order) {
    std::size_t total = a.states[U(state)].accepting ? 1 : 0;
    for (const Dfa::Edge& edge : a.states[U(state)].edges) {
      const std::size_t below = count[U(edge.target)];
      const std::size_t width = edge.last - edge.first + std::size_t{1};
      if (below == 0) continue;
      if (width > limit / below) return std::nullopt;
      total += width * below;
      if (total > limit) return std::nullopt;
    }
    count[U(state)] = total;
  }
  if (count[0] > limit) return std::nullopt;

  // By length; each beginning in a level is that of a member, so no level is larger than the limit.
  struct Beginning {
    std::int32_t state;
    std::u32string text;
  };
  std::vector<Beginning> level{{0, {}}}, next;
  for (; !level.empty(); level.swap(next), next.clear()) {
    for (const Beginning& at : level) {
      if (a.states[U(at.state)].accepting) out.push_back(at.text);
      for (const Dfa::Edge& edge : a.states[U(at.state)].edges) {
        if (!finiteness.IsUseful(edge.target)) continue;
        for (std::uint32_t c = edge.first; c <= edge.last; ++c) {
          next.push_back({edge.target, at.text + static_cast<char32_t>(c)});
        }
      }
    }
  }
  return out;
}

}  // namespace sglrun::grammar
