#include "grammar/ir/bounded_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grammar/automaton/nfa.h"
#include "grammar/automaton/work.h"
#include "text/utf8_ranges.h"

namespace sglrun::grammar {
namespace {

GrammarError Unsupported(std::string what) {
  return {Verdict::kUnsupported, std::move(what)};
}

// Numbers states of an automaton with a number of characters, in the order in which they are met.
class CountedStates {
 public:
  struct Place {
    std::int32_t state = 0;
    std::int64_t chars = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  std::int32_t IdOf(Place place) {
    const auto [at, is_new] = ids_.emplace(place, static_cast<std::int32_t>(places_.size()));
    if (is_new) places_.push_back(place);
    return at->second;
  }
  std::size_t size() const { return places_.size(); }
  Place operator[](std::size_t id) const { return places_[id]; }

 private:
  std::map<Place, std::int32_t> ids_;
  std::vector<Place> places_;
};

// One automaton over bytes for the members of a countable one that keep the limit.
DfaResult WithinLimit(const Dfa& countable, const node::CharLimit& limit, Budget& budget) {
  Work work(budget, "a bound on characters");
  Dfa out;
  CountedStates states;
  states.IdOf({0, 0});
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!work.Step() || !work.HasRoomFor(states.size())) return work.error();
    const CountedStates::Place place = states[i];
    const Dfa::State& from = countable.states[static_cast<std::size_t>(place.state)];
    const bool inner = IsInner(from);
    const std::int64_t chars = place.chars + (inner ? 0 : 1);
    Dfa::State state;
    state.accepting = from.accepting && place.chars >= limit.min;
    for (const Dfa::Edge& edge : from.edges) {
      if (chars > limit.max) break;
      const std::uint32_t mark = inner ? kContinues : 0;
      state.edges.push_back(
          {edge.first - mark, edge.last - mark, states.IdOf({edge.target, chars})});
    }
    out.states.push_back(std::move(state));
  }
  return out;
}

class Drawing {
 public:
  Drawing(FrontEnd& front, const BeforeCall& before_call)
      : front_(front), before_call_(before_call) {}

  DfaResult Draw(ExprId expr) {
    const Nfa::State end = nfa_.AddState();
    nfa_.Accept(end);
    SGLRUN_RETURN_IF_ERROR(Emit(expr, 0, end));
    return Determinize(nfa_, front_.budget);
  }

 private:
  static constexpr int kDeepest = 200;

  using Outcome = Result<void, GrammarError>;
  using State = Nfa::State;

  Outcome Emit(ExprId expr, State from, State to) {
    const Limits& limits = front_.budget.limits();
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("bounding a text"));
    if (depth_ >= kDeepest) return TooLarge("it is nested too deep");
    const auto most = static_cast<std::size_t>(limits.automaton_states);
    if (nfa_.state_count() > limits.automaton_states || nfa_.edges().size() > 8 * most ||
        nfa_.epsilons().size() > 8 * most) {
      return TooLarge("its automaton is too large");
    }
    ++depth_;
    // Copied: rules that are bounded on the way add expressions, which moves them.
    const Expr node = front_.grammar.expr(expr);
    Outcome outcome = std::visit([&](const auto& e) { return EmitNode(e, from, to); }, node);
    --depth_;
    return outcome;
  }
  static GrammarError TooLarge(const char* what) { return {Verdict::kTooLarge, what}; }

  Outcome EmitNode(const node::Never&, State, State) { return {}; }
  Outcome EmitNode(const node::Bytes& e, State from, State to) {
    for (const char c : e.bytes) {
      const State next = nfa_.AddState();
      const auto byte = static_cast<std::uint8_t>(c);
      nfa_.AddEdge(from, next, byte, byte);
      from = next;
    }
    nfa_.AddEpsilon(from, to);
    return {};
  }
  Outcome EmitNode(const node::Chars& e, State from, State to) {
    for (const CharRange& range : e.chars.ranges()) {
      for (const ByteRanges& ranges : Utf8Ranges(range)) {
        State at = from;
        for (int i = 0; i < ranges.length; ++i) {
          const State next = i + 1 == ranges.length ? to : nfa_.AddState();
          const auto& bytes = ranges.bytes[static_cast<std::size_t>(i)];
          nfa_.AddEdge(at, next, bytes.first, bytes.last);
          at = next;
        }
      }
    }
    return {};
  }
  Outcome EmitNode(const node::Regular& e, State from, State to) {
    nfa_.AddDfa(from, to, *e.dfa);
    return {};
  }
  Outcome EmitNode(const node::Sequence& e, State from, State to) {
    for (const ExprId item : e.items) {
      const State next = nfa_.AddState();
      SGLRUN_RETURN_IF_ERROR(Emit(item, from, next));
      from = next;
    }
    nfa_.AddEpsilon(from, to);
    return {};
  }
  Outcome EmitNode(const node::Choice& e, State from, State to) {
    for (const ExprId item : e.items) SGLRUN_RETURN_IF_ERROR(Emit(item, from, to));
    return {};
  }
  Outcome EmitNode(const node::Repeat& e, State from, State to) {
    State at = nfa_.AddState();
    nfa_.AddEpsilon(from, at);
    std::int64_t round = 0;
    for (; round < e.min; ++round) {
      const State next = nfa_.AddState();
      SGLRUN_RETURN_IF_ERROR(Emit(e.item, at, next));
      at = next;
    }
    if (e.max == kUnbounded || e.min <= e.max) nfa_.AddEpsilon(at, to);
    if (e.max == kUnbounded) return Emit(e.item, at, at);
    for (; round < e.max; ++round) {
      const State next = nfa_.AddState();
      SGLRUN_RETURN_IF_ERROR(Emit(e.item, at, next));
      nfa_.AddEpsilon(next, to);
      at = next;
    }
    return {};
  }
  Outcome EmitNode(const node::Call& e, State from, State to) {
    SGLRUN_RETURN_IF_ERROR(before_call_(e.rule));
    if (!open_.insert(e.rule).second) {
      return Unsupported("the rule \"" + front_.grammar.rule(e.rule).name + "\" calls itself");
    }
    SGLRUN_RETURN_IF_ERROR(Emit(front_.grammar.rule(e.rule).body, from, to));
    open_.erase(e.rule);
    return {};
  }
  Outcome EmitNode(const node::Tokens&, State, State) {
    return Unsupported("it mixes tokens and text");
  }
  Outcome EmitNode(const node::TokenLimit&, State, State) {
    return Unsupported("tokens are counted inside it already");
  }
  Outcome EmitNode(const node::CharLimit& e, State from, State to) {
    const Dfa& countable = *std::get<node::Regular>(front_.grammar.expr(e.item)).dfa;
    SGLRUN_ASSIGN_OR_RETURN(const Dfa counted, WithinLimit(countable, e, front_.budget));
    nfa_.AddDfa(from, to, counted);
    return {};
  }
  Outcome EmitNode(const node::Distinct&, State, State) {
    return Unsupported("values in it must differ");
  }
  Outcome EmitNode(const node::Element&, State, State) {
    return Unsupported("values in it must differ");
  }
  Outcome EmitNode(const node::Net& e, State from, State to) {
    const Network& net = *e.network;
    const State base = nfa_.state_count();
    for (std::int32_t s = 0; s < net.states; ++s) nfa_.AddState();
    nfa_.AddEpsilon(from, base);
    for (const Network::ByteEdge& edge : net.bytes) {
      if (edge.first <= edge.last) {
        nfa_.AddEdge(base + edge.from, base + edge.to, edge.first, edge.last);
      }
    }
    for (const Network::ExprEdge& edge : net.exprs) {
      SGLRUN_RETURN_IF_ERROR(Emit(edge.expr, base + edge.from, base + edge.to));
    }
    for (const std::int32_t state : net.accepting) nfa_.AddEpsilon(base + state, to);
    return {};
  }

  FrontEnd& front_;
  const BeforeCall& before_call_;
  Nfa nfa_;
  std::set<RuleId> open_;  // rules that are being drawn
  int depth_ = 0;
};

// States are those of the text and the number of characters begun, as far as it matters.
DfaResult LimitChars(const Dfa& bytes, std::int64_t most, Budget& budget) {
  constexpr std::uint32_t kFirstTail = 0x80, kLastTail = 0xBF;  // not the first byte of a character
  Work work(budget, "a bound on characters");
  Dfa limited;
  CountedStates places;
  if (!bytes.states.empty()) places.IdOf({0, 0});
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!work.Step() || !work.HasRoomFor(places.size())) return work.error();
    const std::int32_t state = places[i].state;
    const std::int64_t count = places[i].chars;
    const Dfa::State& from = bytes.states[static_cast<std::size_t>(state)];
    limited.states.resize(i + 1);
    limited.states[i].accepting = from.accepting;
    if (from.accepting && count >= most) continue;
    std::vector<Dfa::Edge> edges;
    const auto add = [&](std::uint32_t first, std::uint32_t last, std::int32_t target, int more) {
      if (first > last) return;
      edges.push_back({first, last, places.IdOf({target, std::min(most, count + more)})});
    };
    for (const Dfa::Edge& edge : from.edges) {
      add(edge.first, std::min(edge.last, kFirstTail - 1), edge.target, 1);
      add(std::max(edge.first, kFirstTail), std::min(edge.last, kLastTail), edge.target, 0);
      add(std::max(edge.first, kLastTail + 1), edge.last, edge.target, 1);
    }
    limited.states[i].edges = std::move(edges);
  }
  return Minimize(limited, budget);
}

}  // namespace

DfaResult RegularLanguage(FrontEnd& front, ExprId expr, const BeforeCall& before_call) {
  return Drawing(front, before_call).Draw(expr);
}

ExprResult BoundedText(FrontEnd& front, const Dfa& bytes, const TextBounds& bounds) {
  Dfa dfa = bytes;
  if (bounds.chars) {
    SGLRUN_ASSIGN_OR_RETURN(dfa, LimitChars(dfa, *bounds.chars, front.budget));
  }
  // Without a token it ends at once, which a bound on characters says as well.
  if (bounds.tokens == 0) {
    SGLRUN_ASSIGN_OR_RETURN(dfa, LimitChars(dfa, 0, front.budget));
    return front.grammar.Regular(std::move(dfa));
  }
  return bounds.tokens ? front.grammar.LimitTokens(std::move(dfa), *bounds.tokens)
                       : front.grammar.Regular(std::move(dfa));
}

}  // namespace sglrun::grammar
