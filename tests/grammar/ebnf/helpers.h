// What the tests of front ends ask: is a text refused and how, what does it accept.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ir/front_end.h"
#include "reference_matcher.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {

struct Front {
  Grammar grammar;
  GrammarReport report;
  std::optional<GrammarError> error;

  bool ok() const { return !error.has_value(); }
  bool Accepts(std::string_view text) const { return IsMember(grammar, text); }
  bool Accepts(const Symbols& symbols) const { return IsMember(grammar, symbols); }
  bool Begins(std::string_view text) const { return IsPrefix(grammar, text); }
};

using Append = ExprResult (*)(FrontEnd& front, std::string_view text);

inline Front Read(Append append, std::string_view text, const Vocabulary* vocabulary = nullptr,
                  const GrammarOptions& options = {}) {
  Front result;
  Budget budget(options.limits);
  FrontEnd front{result.grammar, options, vocabulary, budget, result.report};
  const auto expr = append(front, text);
  if (!expr.ok()) {
    result.error = expr.error();
    return result;
  }
  const RuleId root = result.grammar.AddRule("(start)");
  result.grammar.Define(root, *expr);
  result.grammar.SetRoot(root);
  return result;
}

// A text of the front end, and what its language holds and does not.
struct LanguageCase {
  std::string text;
  std::vector<std::string> members;
  std::vector<std::string> others;
};

// `read` makes a Front of a case's text.
inline void CheckLanguages(const std::function<Front(std::string_view)>& read,
                           const std::vector<LanguageCase>& cases) {
  for (const LanguageCase& c : cases) {
    CAPTURE(c.text);
    const Front front = read(c.text);
    if (!front.ok()) {
      FAIL_CHECK(front.error->message);
      continue;
    }
    for (const std::string& text : c.members) {
      CAPTURE(text);
      CHECK(front.Accepts(text));
    }
    for (const std::string& text : c.others) {
      CAPTURE(text);
      CHECK_FALSE(front.Accepts(text));
    }
  }
}

inline Symbols TokenSymbols(const std::vector<std::int32_t>& ids) {
  Symbols symbols;
  for (const std::int32_t id : ids) symbols.push_back(kFirstTokenSymbol + id);
  return symbols;
}

inline Symbols operator+(Symbols a, const Symbols& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace sglrun::grammar
