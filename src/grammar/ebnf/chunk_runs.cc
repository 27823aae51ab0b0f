#include "grammar/ebnf/chunk_runs.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sglrun::grammar::ebnf {
namespace {

// The suffix automaton of a word whose letters are chunks (Blumer et al., "The smallest automaton
// recognizing the subwords of a text", 1985): at most two states per chunk, and only one parse of a
// run. "Begin at any chunk" would give as many parses as there are chunks.
class SuffixAutomaton {
 public:
  struct State {
    std::map<int, int> next;
    int length = 0;
    int link = -1;
  };

  SuffixAutomaton() : states_(1) {}

  void Append(int letter) {
    const int added = NewState({{}, states_[Index(last_)].length + 1, 0});
    int at = last_;
    for (; at >= 0 && !states_[Index(at)].next.contains(letter); at = states_[Index(at)].link) {
      states_[Index(at)].next[letter] = added;
    }
    if (at >= 0) states_[Index(added)].link = Split(at, letter);
    last_ = added;
  }
  const std::vector<State>& states() const { return states_; }

 private:
  static std::size_t Index(int state) { return static_cast<std::size_t>(state); }
  int NewState(State state) {
    states_.push_back(std::move(state));
    return static_cast<int>(states_.size()) - 1;
  }

  // The state of the words that end in `letter` after those of `at`, parted from longer ones.
  int Split(int at, int letter) {
    const int target = states_[Index(at)].next.at(letter);
    const int length = states_[Index(at)].length + 1;
    if (states_[Index(target)].length == length) return target;
    const int copy = NewState({states_[Index(target)].next, length, states_[Index(target)].link});
    states_[Index(target)].link = copy;
    for (; at >= 0; at = states_[Index(at)].link) {
      const auto edge = states_[Index(at)].next.find(letter);
      if (edge == states_[Index(at)].next.end() || edge->second != target) break;
      edge->second = copy;
    }
    return copy;
  }

  std::vector<State> states_;
  int last_ = 0;
};

}  // namespace

ExprResult AppendChunkRuns(FrontEnd& front, std::span<const std::string> chunks) {
  std::unordered_map<std::string_view, int> letters;
  std::vector<ExprId> texts;  // of each letter
  SuffixAutomaton automaton;
  for (const std::string& chunk : chunks) {
    SGLRUN_RETURN_IF_ERROR(front.budget.Spend("reading the chunks of Substring"));
    const auto [letter, is_new] = letters.emplace(chunk, static_cast<int>(texts.size()));
    if (is_new) texts.push_back(front.grammar.Bytes(chunk));
    automaton.Append(letter->second);
  }
  Network network;
  network.states = static_cast<std::int32_t>(automaton.states().size());
  for (std::int32_t s = 0; s < network.states; ++s) {
    network.accepting.push_back(s);
    for (const auto& [letter, target] : automaton.states()[static_cast<std::size_t>(s)].next) {
      network.exprs.push_back({s, target, texts[static_cast<std::size_t>(letter)]});
    }
  }
  return front.grammar.Net(std::move(network));
}

}  // namespace sglrun::grammar::ebnf
