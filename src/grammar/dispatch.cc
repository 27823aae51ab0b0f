#include "grammar/dispatch.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace sglrun::grammar {
namespace {

constexpr std::int32_t kNone = -1;

// Aho and Corasick, "Efficient string matching", 1975. State 0 is the root; a state is the longest
// suffix of the text that begins a pattern.
class PatternAutomaton {
 public:
  enum class Kind : std::uint8_t { kPlain, kTrigger, kForbidden };
  struct State {
    std::array<std::int32_t, 256> next;
    std::int32_t fail = 0;
    Kind kind = Kind::kPlain;
    std::int32_t trigger = kNone;  // pair that is forced here
  };

  PatternAutomaton() { NewState(); }

  std::int32_t Add(std::string_view pattern) {
    std::int32_t state = 0;
    for (const char c : pattern) {
      std::int32_t next = Next(state, c);
      if (next == kNone) {
        next = NewState();
        states_[Index(state)].next[static_cast<std::uint8_t>(c)] = next;
      }
      state = next;
    }
    return state;
  }
  State& state(std::int32_t id) { return states_[Index(id)]; }
  const State& state(std::int32_t id) const { return states_[Index(id)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(states_.size()); }
  std::int32_t Next(std::int32_t state, char c) const {
    return states_[Index(state)].next[static_cast<std::uint8_t>(c)];
  }

  // Makes next total and gives each state what its suffixes complete.
  void Close() {
    std::deque<std::int32_t> queue;
    for (std::int32_t& next : states_[0].next) {
      if (next == kNone) {
        next = 0;
      } else {
        queue.push_back(next);
      }
    }
    for (; !queue.empty(); queue.pop_front()) {
      State& state = states_[Index(queue.front())];
      const State& suffix = states_[Index(state.fail)];
      if (suffix.kind == Kind::kForbidden || state.kind == Kind::kPlain) {
        state.kind = suffix.kind;
        state.trigger = suffix.trigger;
      }
      for (std::size_t c = 0; c < 256; ++c) {
        if (state.next[c] == kNone) {
          state.next[c] = suffix.next[c];
        } else {
          states_[Index(state.next[c])].fail = suffix.next[c];
          queue.push_back(state.next[c]);
        }
      }
    }
  }

 private:
  static std::size_t Index(std::int32_t id) { return static_cast<std::size_t>(id); }
  std::int32_t NewState() {
    states_.emplace_back().next.fill(kNone);
    return size() - 1;
  }

  std::deque<State> states_;  // references stay good while it grows
};

// No end is completed before its own last byte when it follows a text that is in `state`.
bool MayEndBefore(const PatternAutomaton& automaton, std::int32_t state,
                  const std::vector<std::string>& ends) {
  return std::ranges::all_of(ends, [&](const std::string& end) {
    std::int32_t at = state;
    for (std::size_t i = 0; i + 1 < end.size(); ++i) {
      at = automaton.Next(at, end[i]);
      if (automaton.state(at).kind == PatternAutomaton::Kind::kForbidden) return false;
    }
    return true;
  });
}

class Lowering {
 public:
  Lowering(const TextDispatch& dispatch, const PatternAutomaton& automaton)
      : dispatch_(dispatch),
        automaton_(automaton),
        places_(static_cast<std::size_t>(automaton.size()), kNone) {}

  Network Build() {
    network_.states = 0;
    for (std::int32_t s = 0; s < automaton_.size(); ++s) {
      if (automaton_.state(s).kind == PatternAutomaton::Kind::kPlain) {
        Place(s) = network_.states++;
      }
    }
    for (std::int32_t s = 0; s < automaton_.size(); ++s) {
      if (Place(s) == kNone) continue;
      if (MayEndBefore(automaton_, s, dispatch_.ends)) network_.accepting.push_back(Place(s));
      AddEdges(s);
    }
    return std::move(network_);
  }

 private:
  std::int32_t& Place(std::int32_t state) { return places_[static_cast<std::size_t>(state)]; }

  void AddEdges(std::int32_t state) {
    const auto& next = automaton_.state(state).next;
    for (int first = 0, last; first < 256; first = last + 1) {
      const std::int32_t target = Target(next[static_cast<std::size_t>(first)]);
      last = first;
      while (last < 255 && Target(next[static_cast<std::size_t>(last) + 1]) == target) ++last;
      if (target == kNone) continue;
      network_.bytes.push_back({Place(state), target, static_cast<std::uint8_t>(first),
                                static_cast<std::uint8_t>(last)});
    }
  }

  std::int32_t Target(std::int32_t state) {
    const PatternAutomaton::State& at = automaton_.state(state);
    if (at.kind == PatternAutomaton::Kind::kForbidden) return kNone;
    if (at.kind == PatternAutomaton::Kind::kPlain) return Place(state);
    const auto pair = static_cast<std::size_t>(at.trigger);
    if (forced_.empty()) forced_.assign(dispatch_.pairs.size(), kNone);
    if (forced_[pair] == kNone) {
      forced_[pair] = network_.states++;
      network_.exprs.push_back({forced_[pair], AfterNext(), dispatch_.pairs[pair].next});
    }
    return forced_[pair];
  }

  std::int32_t AfterNext() {
    if (dispatch_.after == TextDispatch::After::kFreeText) return 0;
    if (end_ == kNone) {
      end_ = network_.states++;
      network_.accepting.push_back(end_);
    }
    return end_;
  }

  const TextDispatch& dispatch_;
  const PatternAutomaton& automaton_;
  std::vector<std::int32_t> places_;  // network state of each plain state
  std::vector<std::int32_t> forced_;  // network state in which a pair's `next` must come
  std::int32_t end_ = kNone;
  Network network_;
};

}  // namespace

ExprResult AppendTextDispatch(FrontEnd& front, const TextDispatch& dispatch) {
  std::size_t bytes = 0;
  for (const TextDispatch::Pair& pair : dispatch.pairs) bytes += pair.trigger.size();
  for (const std::string& exclude : dispatch.excludes) bytes += exclude.size();
  for (const std::string& end : dispatch.ends) bytes += end.size();
  // A state of the automaton is 1 KiB while it is built.
  const auto most = static_cast<std::size_t>(front.budget.limits().expanded_states);
  if (bytes > most) {
    return GrammarError{Verdict::kTooLarge,
                        "the triggers and excludes of a free text have " + std::to_string(bytes) +
                            " bytes together, at most " + std::to_string(most) + " are possible"};
  }
  PatternAutomaton automaton;
  for (std::size_t i = 0; i < dispatch.pairs.size(); ++i) {
    PatternAutomaton::State& state = automaton.state(automaton.Add(dispatch.pairs[i].trigger));
    state.kind = PatternAutomaton::Kind::kTrigger;
    state.trigger = static_cast<std::int32_t>(i);
  }
  for (const auto* list : {&dispatch.excludes, &dispatch.ends}) {
    for (const std::string& text : *list) {
      automaton.state(automaton.Add(text)).kind = PatternAutomaton::Kind::kForbidden;
    }
  }
  automaton.Close();
  return front.grammar.Net(Lowering(dispatch, automaton).Build());
}

ExprResult AppendTokenDispatch(FrontEnd& front, const TokenDispatch& dispatch) {
  Network network;
  network.accepting = {0};
  std::vector<std::int32_t> special = dispatch.excludes;
  std::int32_t end = kNone;
  for (const TokenDispatch::Pair& pair : dispatch.pairs) {
    special.push_back(pair.trigger);
    const std::int32_t forced = network.states++;
    std::int32_t after = 0;
    if (dispatch.after == TextDispatch::After::kEnd) {
      if (end == kNone) {
        end = network.states++;
        network.accepting.push_back(end);
      }
      after = end;
    }
    network.exprs.push_back({0, forced, front.grammar.Tokens({pair.trigger}, false)});
    network.exprs.push_back({forced, after, pair.next});
  }
  network.exprs.push_back({0, 0, front.grammar.Tokens(std::move(special), true)});
  return front.grammar.Net(std::move(network));
}

}  // namespace sglrun::grammar
