#include "grammar/json_schema/regex_format.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "grammar/automaton/spelling.h"
#include "grammar/regex/property_names.h"
#include "grammar/regex/regex.h"

namespace sglrun::grammar {
namespace {

const char* const kCapture = "\\((?:\\?:)?";
const char* const kLook = "\\(\\?<?[=!]";
const char* const kNamed = "\\(\\?<[A-Za-z_$][A-Za-z0-9_$]*>";

std::string Group(const std::string& pattern) {
  return "(?:" + pattern + ")";
}

std::string Hex(int code) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'\\', 'x', kDigits[code / 16], kDigits[code % 16]};
}

// \p{Lu}, \P{gc=Letter}, ...
std::string Property() {
  std::string names;
  for (const auto& [shorter, longer] : GeneralCategories()) {
    names.append(names.empty() ? "" : "|").append(shorter).append("|").append(longer);
  }
  return "[pP]\\{(?:(?:gc|General_Category)=)?" + Group(names) + "\\}";
}

// Without \b, \B and -, which mean something else in a class.
std::string Escape() {
  return "\\\\" + Group(
                      "[dDsSwWfnrtv^$\\\\.*+?()\\[\\]{}|/]|c[A-Za-z]|x[0-9A-Fa-f]{2}|"
                      "u[0-9A-Fa-f]{4}|" +
                      Property());
}

// Between an ASCII character that is no sign of a class and one that is not before it.
std::string ClassRange() {
  constexpr std::pair<char, char> kPlain[] = {{'_', '~'}, {'.', 'Z'}, {' ', ','}};
  std::string all, lasts = "\\x80-\\U0010FFFF";
  for (const auto& [begin, end] : kPlain) {
    for (char c = end; c >= begin; --c) {
      all += (all.empty() ? "" : "|") + Hex(c) + "-[" + Hex(c) + "-" + Hex(end) + lasts + "]";
    }
    lasts += Hex(begin) + "-" + Hex(end);
  }
  return Group(all);
}

std::string Class() {
  const std::string one = Group("[^\\-\\\\\\]]|" + Escape() + "|\\\\[b\\-]");
  return "\\[\\^?-?" + Group(ClassRange() + "|" + one) + "*-?\\]";
}

// n, or n,m where n is not above m: a longer number is greater, of two that are as long the order
// must be decided by the first digits or, up to two digits, by all.
std::string Bounds() {
  std::string all =
      "[0-9]{1,6},?|[0-9],[1-9][0-9]{1,5}|[0-9]{2},[1-9][0-9]{2,5}|[0-9]{3},[1-9][0-9]{3,5}";
  for (int d = 0; d <= 9; ++d) {
    const std::string digit = std::to_string(d);
    all += "|" + digit + ",[" + digit + "-9]";
    if (d == 0) continue;
    const std::string above = "[" + std::to_string(d + 1) + "-9]";
    if (d < 9) all += "|" + digit + "[0-9]{3}," + above + "[0-9]{3}";
    if (d < 9) all += "|" + digit + "[0-9]{2}," + above + "[0-9]{2}";
    if (d < 9) all += "|" + digit + "[0-9]," + above + "[0-9]";
    for (int units = 0; units <= 9; ++units) {
      const std::string unit = std::to_string(units);
      all += "|" + digit + unit + "," + digit + "[" + unit + "-9]";
    }
  }
  return Group(all);
}

std::string Quantifier() {
  return "(?:(?:[*+?]|\\{" + Bounds() + "\\})[?]{0,1})?";
}

// What needs no group, alternatives among it.
std::string Leaf() {
  const std::string atom = Group("[^\\^$\\\\.*+?()\\[\\]{}|]|\\.|" + Escape() + "|" + Class());
  return Group("[|^$]|\\\\[bB]|" + atom + Quantifier());
}

std::string Nested(int depth) {
  if (depth == 0) return Leaf() + "*";
  const std::string inside = Nested(depth - 1) + "\\)";
  return Group(Leaf() + "|" + kCapture + inside + Quantifier() + "|" + kLook + inside) + "*";
}

std::shared_ptr<const Dfa> Spelled(const std::string& pattern) {
  const Limits limits = Limits::WithoutWork();
  Budget budget(limits);
  const DfaResult chars = RegexDfa(pattern, RegexMatch::kFull, {}, budget);
  CHECK(chars.ok()) << pattern << ": " << chars.error().message;
  DfaResult bytes = ToJsonString(*chars, budget);
  CHECK(bytes.ok()) << pattern << ": " << bytes.error().message;
  return std::make_shared<const Dfa>(std::move(bytes).value());
}

}  // namespace

std::string RegexSourcePattern() {
  return Nested(2);
}

ExprId AppendRegexSource(Grammar& grammar) {
  static const auto kLeaves = Spelled(Leaf() + "*");
  static const auto kQuantifier = Spelled(Quantifier());
  static const auto kCaptureBegin = Spelled(kCapture);
  static const auto kLookBegin = Spelled(kLook);
  static const auto kNamedBegin = Spelled(kNamed);
  const ExprId leaves = grammar.Regular(kLeaves);
  const ExprId captured_end = grammar.Sequence({grammar.Bytes(")"), grammar.Regular(kQuantifier)});
  const auto group = [&](ExprId inside) {
    return grammar.Choice(
        {grammar.Sequence({grammar.Regular(kCaptureBegin), inside, captured_end}),
         grammar.Sequence({grammar.Regular(kLookBegin), inside, grammar.Bytes(")")})});
  };
  const RuleId unnamed = grammar.AddRule("regex");
  const ExprId around = grammar.Call(unnamed);
  const ExprId more = grammar.Repeat(grammar.Sequence({group(around), leaves}), 0, kUnbounded);
  grammar.Define(unnamed, grammar.Sequence({leaves, more}));
  // One group may have a name: two must differ, which no context-free grammar says.
  const RuleId named = grammar.AddRule("regex_with_name");
  const ExprId naming = grammar.Sequence({grammar.Regular(kNamedBegin), around, captured_end});
  grammar.Define(
      named,
      grammar.Sequence({around, grammar.Choice({naming, group(grammar.Call(named))}), around}));
  return grammar.Choice({around, grammar.Call(named)});
}

}  // namespace sglrun::grammar
