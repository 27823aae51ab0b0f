#include "grammar/ir/dispatch.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

namespace sglrun::grammar {
namespace {

constexpr std::int32_t kNone = -1;
constexpr ExprId kNever = 0;

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
    std::int32_t own = kNone;      // pair whose trigger this state spells
    std::int32_t depth = 0;        // bytes of the patterns' beginning that it stands for
    bool longer = false;           // a trigger continues from here
    bool tail = false;             // a text must not stop here
  };

  PatternAutomaton() { NewState(); }

  std::int32_t Add(std::string_view pattern) {
    std::int32_t state = 0;
    for (const char c : pattern) {
      std::int32_t next = Next(state, c);
      if (next == kNone) {
        next = NewState();
        states_[Index(next)].depth = states_[Index(state)].depth + 1;
        states_[Index(state)].next[static_cast<std::uint8_t>(c)] = next;
      }
      state = next;
    }
    return state;
  }
  void AddTrigger(std::string_view pattern, std::int32_t pair) {
    State& end = state(Add(pattern));
    end.kind = Kind::kTrigger;
    end.trigger = end.own = pair;
    std::int32_t at = 0;
    for (const char c : pattern) {
      state(at).longer = true;
      at = Next(at, c);
    }
  }
  void AddForbidden(std::string_view pattern) { state(Add(pattern)).kind = Kind::kForbidden; }
  void AddTail(std::string_view pattern) { state(Add(pattern)).tail = true; }

  State& state(std::int32_t id) { return states_[Index(id)]; }
  const State& state(std::int32_t id) const { return states_[Index(id)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(states_.size()); }
  std::int32_t Next(std::int32_t state, char c) const {
    return states_[Index(state)].next[static_cast<std::uint8_t>(c)];
  }
  // The pattern beginning that is one byte longer, kNone when there is none. Once closed.
  std::int32_t Child(std::int32_t id, std::size_t byte) const {
    const std::int32_t next = state(id).next[byte];
    return state(next).depth == state(id).depth + 1 ? next : kNone;
  }

  // Completes `next` for all bytes, and adds to each state the strings that its suffixes complete.
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
      state.tail = state.tail || suffix.tail;
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

class Lowering {
 public:
  Lowering(const TextDispatch& dispatch, const PatternAutomaton& automaton, Budget& budget)
      : dispatch_(dispatch),
        automaton_(automaton),
        budget_(budget),
        places_(static_cast<std::size_t>(automaton.size()), kNone) {}

  Result<Network, GrammarError> Build() {
    network_.states = 0;
    for (std::int32_t s = 0; s < automaton_.size(); ++s) {
      if (automaton_.state(s).kind == Kind::kPlain) Place(s) = network_.states++;
    }
    for (std::int32_t s = 0; s < automaton_.size(); ++s) {
      if (Place(s) == kNone) continue;
      if (!automaton_.state(s).tail) network_.accepting.push_back(Place(s));
      AddEdges(s);
    }
    // Crossings find further ones while they are drawn.
    for (; !queue_.empty(); queue_.pop_front()) {
      SGLRUN_RETURN_IF_ERROR(budget_.Spend("following triggers that begin inside others"));
      if (network_.states > budget_.limits().automaton_states) return TooMany();
      const Crossing crossing = queue_.front();
      AddCrossingEdges(crossing, crossings_.at(crossing));
    }
    return std::move(network_);
  }

 private:
  using Kind = PatternAutomaton::Kind;

  // On the way from a complete trigger to a longer one, `part` of which is written; `state` is that
  // of the whole text, which knows of excludes.
  struct Crossing {
    std::int32_t part = 0, state = 0;
    auto operator<=>(const Crossing&) const = default;
  };

  static GrammarError TooMany() {
    return {Verdict::kTooLarge, "the triggers of a free text overlap in too many ways"};
  }

  std::int32_t& Place(std::int32_t state) { return places_[static_cast<std::size_t>(state)]; }

  void AddEdges(std::int32_t state) {
    const auto& next = automaton_.state(state).next;
    for (std::size_t first = 0, last; first < 256; first = last + 1) {
      const std::int32_t target = Target(next[first]);
      last = first;
      while (last < 255 && Target(next[last + 1]) == target) ++last;
      AddBytes(Place(state), target, first, last);
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if (automaton_.state(next[byte]).kind == Kind::kTrigger) {
        AddCrossings(Place(state), byte, next[byte]);
      }
    }
  }

  void AddBytes(std::int32_t from, std::int32_t to, std::size_t first, std::size_t last) {
    if (to == kNone) return;
    network_.bytes.push_back(
        {from, to, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)});
  }

  std::int32_t Target(std::int32_t state) {
    const PatternAutomaton::State& at = automaton_.state(state);
    if (at.kind == Kind::kForbidden) return kNone;
    return at.kind == Kind::kPlain ? Place(state) : Forced(at.trigger);
  }

  // `state` completes a trigger: the longer ones that may still come began no later.
  void AddCrossings(std::int32_t from, std::size_t byte, std::int32_t state) {
    const auto pair = static_cast<std::size_t>(automaton_.state(state).trigger);
    const auto least = static_cast<std::int32_t>(dispatch_.pairs[pair].trigger.size());
    for (std::int32_t part = state; automaton_.state(part).depth >= least;
         part = automaton_.state(part).fail) {
      if (automaton_.state(part).longer) AddBytes(from, PlaceOf({part, state}), byte, byte);
    }
  }

  void AddCrossingEdges(const Crossing& crossing, std::int32_t from) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::int32_t part = automaton_.Child(crossing.part, byte);
      const std::int32_t state = automaton_.state(crossing.state).next[byte];
      if (part == kNone || automaton_.state(state).kind == Kind::kForbidden) continue;
      const PatternAutomaton::State& at = automaton_.state(part);
      if (at.own != kNone) AddBytes(from, Forced(at.own), byte, byte);
      if (at.longer) AddBytes(from, PlaceOf({part, state}), byte, byte);
    }
  }

  std::int32_t PlaceOf(const Crossing& crossing) {
    const auto [at, is_new] = crossings_.try_emplace(crossing, network_.states);
    if (is_new) {
      ++network_.states;
      queue_.push_back(crossing);
    }
    return at->second;
  }

  std::int32_t Forced(std::int32_t trigger) {
    const auto pair = static_cast<std::size_t>(trigger);
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
  Budget& budget_;
  std::vector<std::int32_t> places_;  // network state of each plain state
  std::vector<std::int32_t> forced_;  // network state in which a pair's `next` must come
  std::map<Crossing, std::int32_t> crossings_;
  std::deque<Crossing> queue_;
  std::int32_t end_ = kNone;
  Network network_;
};

}  // namespace

ExprResult AppendTextDispatch(FrontEnd& front, const TextDispatch& dispatch) {
  std::size_t bytes = 0;
  for (const TextDispatch::Pair& pair : dispatch.pairs) bytes += pair.trigger.size();
  for (const auto* list : {&dispatch.excludes, &dispatch.tails}) {
    for (const std::string& text : *list) bytes += text.size();
  }
  // A state of the automaton is 1 KiB while it is built.
  const auto most = static_cast<std::size_t>(front.budget.limits().expanded_states);
  if (bytes > most) {
    return GrammarError{Verdict::kTooLarge,
                        "the triggers and excludes of a free text have " + std::to_string(bytes) +
                            " bytes together, at most " + std::to_string(most) + " are possible"};
  }
  PatternAutomaton automaton;
  for (std::size_t i = 0; i < dispatch.pairs.size(); ++i) {
    automaton.AddTrigger(dispatch.pairs[i].trigger, static_cast<std::int32_t>(i));
  }
  for (const std::string& text : dispatch.excludes) automaton.AddForbidden(text);
  for (const std::string& text : dispatch.tails) automaton.AddTail(text);
  automaton.Close();
  SGLRUN_ASSIGN_OR_RETURN(Network network, Lowering(dispatch, automaton, front.budget).Build());
  return front.grammar.Net(std::move(network));
}

Result<std::optional<DeadTrigger>, GrammarError> FindDeadTrigger(const TextDispatch& dispatch,
                                                                 Budget& budget) {
  for (std::size_t pair = 0; pair < dispatch.pairs.size(); ++pair) {
    const auto& [trigger, next] = dispatch.pairs[pair];
    if (next == kNever) continue;  // it was not to be written anyway
    for (std::size_t exclude = 0; exclude < dispatch.excludes.size(); ++exclude) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("comparing excludes with triggers"));
      if (trigger.find(dispatch.excludes[exclude]) == std::string::npos) continue;
      return std::optional(DeadTrigger{pair, exclude});
    }
  }
  return std::optional<DeadTrigger>();
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
