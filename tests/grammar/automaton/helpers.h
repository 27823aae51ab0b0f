// Small languages that tests can write out in full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"
#include "grammar/automaton/nfa.h"

namespace sglrun::grammar {

inline std::vector<std::uint32_t> CodePoints(std::string_view utf8) {
  std::vector<std::uint32_t> out;
  for (std::size_t pos = 0; pos < utf8.size();) out.push_back(DecodeUtf8(utf8, pos));
  return out;
}

inline std::vector<std::uint32_t> ByteSymbols(std::string_view bytes) {
  std::vector<std::uint32_t> out;
  for (const char byte : bytes) out.push_back(static_cast<unsigned char>(byte));
  return out;
}

inline bool AcceptsText(const Dfa& chars, std::string_view utf8) {
  return chars.Accepts(CodePoints(utf8));
}
inline bool AcceptsBytes(const Dfa& bytes, std::string_view text) {
  return bytes.Accepts(ByteSymbols(text));
}

// A stand-in for the whole alphabet: at and around the ends of ranges that the tests use.
inline constexpr char32_t kAlphabet[] = {U'a', U'b', U'c', 0x7F, 0xD7FF, 0xE000, 0x10FFFF};

using Word = std::vector<std::uint32_t>;

// Every word over kAlphabet of at most `length` symbols.
inline std::vector<Word> AllWords(std::size_t length) {
  std::vector<Word> out{{}};
  for (std::size_t begin = 0, n = 0; n < length; ++n) {
    const std::size_t end = out.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const char32_t c : kAlphabet) {
        out.push_back(out[i]);
        out.back().push_back(c);
      }
    }
    begin = end;
  }
  return out;
}

inline CharSet RandomChars(std::mt19937& random) {
  CharSet chars;
  do {
    for (const char32_t c : kAlphabet) {
      if (random() % 3 == 0) chars.Add({c, c});
    }
    if (random() % 4 == 0) chars.Add({U'b', 0xD7FF});
    if (random() % 8 == 0) chars = chars.Complement();
  } while (chars.empty());
  return chars;
}

inline Nfa RandomNfa(std::mt19937& random) {
  Nfa nfa;
  const auto any = [&] {
    return static_cast<Nfa::State>(random() % static_cast<std::uint32_t>(nfa.state_count()));
  };
  for (std::uint32_t states = 1 + random() % 5; states > 1; --states) nfa.AddState();
  for (std::uint32_t edges = random() % 9; edges > 0; --edges) {
    nfa.AddEdge(any(), any(), RandomChars(random));
  }
  for (std::uint32_t edges = random() % 3; edges > 0; --edges) nfa.AddEpsilon(any(), any());
  for (std::uint32_t ends = 1 + random() % 2; ends > 0; --ends) nfa.Accept(any());
  return nfa;
}

// The definition: all states at once, one symbol after the other.
inline bool Simulate(const Nfa& nfa, const Word& word) {
  const auto close = [&](std::set<Nfa::State> states) {
    for (std::size_t before = 0; before != states.size();) {
      before = states.size();
      for (const auto& edge : nfa.epsilons()) {
        if (states.count(edge.from) > 0) states.insert(edge.to);
      }
    }
    return states;
  };
  std::set<Nfa::State> states = close({0});
  std::vector<SymbolRange> ranges;
  for (const std::uint32_t symbol : word) {
    std::set<Nfa::State> next;
    for (const auto& edge : nfa.edges()) {
      if (states.count(edge.from) == 0) continue;
      ranges.clear();
      nfa.labels().AppendRanges(edge.label, ranges);
      if (std::ranges::any_of(ranges, [&](SymbolRange range) {
            return range.first <= symbol && symbol <= range.last;
          })) {
        next.insert(edge.to);
      }
    }
    states = close(std::move(next));
  }
  return std::ranges::any_of(states, [&](Nfa::State s) { return nfa.IsAccepting(s); });
}

}  // namespace sglrun::grammar
