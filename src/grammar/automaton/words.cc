// The automaton of a finite set of words, minimal at once: words come in order, so a state is
// complete as soon as a word leaves its path, and equal complete states are one (after J. Daciuk,
// S. Mihov, B. and R. Watson, "Incremental construction of minimal acyclic finite-state automata",
// 2000). An enum may have thousands of values; a trie of them would be many times larger.
#include <algorithm>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"
#include "grammar/automaton/state_pool.h"

namespace sglrun::grammar {
namespace {

class WordStates {
 public:
  // In ascending order.
  void Add(std::span<const std::uint32_t> word) {
    const auto apart = std::mismatch(word.begin(), word.end(), path_.begin(), path_.end()).first;
    CloseBelow(static_cast<std::size_t>(apart - word.begin()));
    path_.assign(word.begin(), word.end());
    if (open_.size() <= word.size()) open_.resize(word.size() + 1, {0});
    open_[word.size()].front() = 1;
  }

  Dfa Take() {
    CloseBelow(0);
    return states_.Spelled(states_.Intern(open_.front()));
  }

 private:
  // Gives the states of the last word below its first `depth` symbols their numbers.
  void CloseBelow(std::size_t depth) {
    for (std::size_t at = path_.size(); at > depth; --at) {
      const std::int32_t target = states_.Intern(open_[at]);
      StatePool::Start(open_[at], false);
      StatePool::AddEdge(open_[at - 1], path_[at - 1], path_[at - 1], target);
    }
    path_.resize(depth);
  }

  std::vector<std::uint32_t> path_;                                 // the last word
  std::vector<StatePool::Content> open_ = {StatePool::Content{0}};  // the states along it
  StatePool states_;                                                // complete ones
};

template <class Spell>
Dfa WordsAs(std::vector<std::string_view> words, const Spell& spell) {
  if (words.empty()) return NoText();
  std::ranges::sort(words);  // the order of UTF-8 is that of code points
  WordStates states;
  std::vector<std::uint32_t> symbols;
  for (const std::string_view word : words) {
    symbols.clear();
    spell(word, symbols);
    states.Add(symbols);
  }
  return states.Take();
}

}  // namespace

Dfa Words(std::span<const std::string> utf8) {
  return WordsAs({utf8.begin(), utf8.end()},
                 [](std::string_view word, std::vector<std::uint32_t>& out) {
                   for (std::size_t at = 0; at < word.size();) {
                     out.push_back(DecodeUtf8(word, at));
                   }
                 });
}

Dfa ByteWords(std::span<const std::string> words) {
  return WordsAs({words.begin(), words.end()},
                 [](std::string_view word, std::vector<std::uint32_t>& out) {
                   for (const char c : word) out.push_back(static_cast<std::uint8_t>(c));
                 });
}

}  // namespace sglrun::grammar
