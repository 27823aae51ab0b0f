#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"

namespace sglrun::grammar {
namespace {

// The states of a trie, filled with words in any order.
class Trie {
 public:
  Trie() : dfa_{{Dfa::State{}}} {}

  void Insert(std::string_view utf8) {
    std::int32_t state = 0;
    for (std::size_t pos = 0; pos < utf8.size();) state = Child(state, DecodeUtf8(utf8, pos));
    At(state).accepting = true;
  }
  const Dfa& dfa() const { return dfa_; }

 private:
  Dfa::State& At(std::int32_t state) { return dfa_.states[static_cast<std::size_t>(state)]; }

  std::int32_t Child(std::int32_t state, char32_t c) {
    auto& edges = At(state).edges;
    const auto at = std::ranges::lower_bound(edges, c, {}, &Dfa::Edge::first);
    if (at != edges.end() && at->first == c) return at->target;
    const auto fresh = static_cast<std::int32_t>(dfa_.states.size());
    edges.insert(at, {c, c, fresh});
    dfa_.states.emplace_back();
    return fresh;
  }

  Dfa dfa_;
};

// The words are in memory already, and their minimal automaton is no larger.
Limits NoLimits() {
  Limits limits = Limits::WithoutWork();
  limits.automaton_states = std::numeric_limits<std::int32_t>::max();
  return limits;
}

}  // namespace

Dfa Words(std::span<const std::string> utf8) {
  if (utf8.empty()) return NoText();
  Trie trie;
  for (const std::string& word : utf8) trie.Insert(word);
  const Limits limits = NoLimits();
  Budget budget(limits);
  auto minimal = Minimize(trie.dfa(), budget);
  return minimal.ok() ? std::move(minimal).value() : trie.dfa();
}

}  // namespace sglrun::grammar
