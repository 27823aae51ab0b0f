// Random patterns whose meaning PCRE2 shares, and random members of languages.
#pragma once

#include <random>
#include <string>

#include "grammar/automaton/dfa.h"

namespace sglrun::grammar {

class RandomRegex {
 public:
  explicit RandomRegex(unsigned seed) : random_(seed) {}

  std::uint32_t Below(std::uint32_t bound) { return random_() % bound; }

  // With anchors anywhere, and sometimes with look-aheads and flags at the start.
  std::string Pattern() {
    std::string out;
    if (Below(6) == 0) out += "(?i)";
    if (Below(6) == 0) out += "^";
    while (Below(6) == 0) {
      out += (Below(2) == 0 ? "(?=" : "(?!") + Choice(1) + (Below(3) == 0 ? "$)" : ")");
    }
    return out + Choice(3);
  }

  std::u32string Member(const Dfa& dfa) {
    std::u32string out;
    std::int32_t state = 0;
    for (;;) {
      const Dfa::State& at = dfa.states[static_cast<std::size_t>(state)];
      if (at.edges.empty() || (at.accepting && Below(3) == 0)) return out;
      const Dfa::Edge& edge = at.edges[Below(static_cast<std::uint32_t>(at.edges.size()))];
      const bool border = Below(2) == 0;
      out += border ? edge.first : edge.first + Below(edge.last - edge.first + 1);
      state = edge.target;
      if (out.size() > 200) return out;  // a long way round; no member, and no harm
    }
  }

 private:
  std::string Choice(int depth) {
    std::string out = Sequence(depth);
    while (Below(4) == 0) out += "|" + Sequence(depth);
    return out;
  }

  std::string Sequence(int depth) {
    std::string out;
    for (std::uint32_t items = Below(4); items > 0; --items) {
      if (Below(8) == 0) {
        out += Below(2) == 0 ? "^" : "$";
      } else {
        out += Atom(depth) + Quantifier();
      }
    }
    return out;
  }

  std::string Atom(int depth) {
    static const char* const kAtoms[] = {"a",      "b",     "A",        "\xC3\xA9", "[ab]",
                                         "[^a]",   "[a-c]", "[^]",      "[]",       "\\d",
                                         "\\w",    "\\s",   "\\x{e9}",  ".",        "\\n",
                                         "[^\\d]", "b",     "[\\w\\s]", "-",        "\\p{Lu}"};
    if (depth > 0 && Below(3) == 0) {
      static const char* const kOpen[] = {"(", "(?:", "(?i:", "(?s:"};
      // A name may stand once only in PCRE2.
      const std::string open =
          Below(5) == 0 ? "(?<n" + std::to_string(++names_) + ">" : kOpen[Below(4)];
      return open + Choice(depth - 1) + ")";
    }
    return kAtoms[Below(std::size(kAtoms))];
  }

  std::string Quantifier() {
    static const char* const kQuantifiers[] = {"*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"};
    if (Below(3) != 0) return "";
    return std::string(kQuantifiers[Below(std::size(kQuantifiers))]) + (Below(4) == 0 ? "?" : "");
  }

  std::mt19937 random_;
  int names_ = 0;
};

}  // namespace sglrun::grammar
