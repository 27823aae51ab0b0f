#include "grammar/regex/regex_language.h"

#include <utility>

#include "grammar/automaton/nfa.h"
#include "grammar/ir/grammar.h"
#include "grammar/regex/regex_nfa.h"
#include "grammar/regex/simplify.h"
#include "grammar/regex/split_lengths.h"

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

RegexNodeId AddAnyText(RegexAst& ast) {
  const RegexNodeId any = ast.Add({Kind::kChars, std::make_shared<const CharSet>(CharSet::All())});
  return ast.Add({Kind::kRepeat, nullptr, {any}, 0, kUnbounded});
}

// Whether nothing can follow a match.
bool EndsAtEnd(const RegexAst& ast, RegexNodeId id) {
  const RegexNode& node = ast[id];
  return (node.kind == Kind::kSequence ? ast[node.items.back()] : node).kind == Kind::kEnd;
}

// What may stand around a match found by searching. Beside an anchor nothing may, and saying so
// here keeps the usual ^...$ free of anchors that depend on the text.
RegexNodeId Surround(RegexAst& ast, RegexNodeId branch) {
  const RegexNode& node = ast[branch];
  const RegexNode& first = node.kind == Kind::kSequence ? ast[node.items.front()] : node;
  const bool from_start = first.kind == Kind::kStart;
  const bool to_end = EndsAtEnd(ast, branch);
  std::vector<RegexNodeId> items;
  if (!from_start) items.push_back(AddAnyText(ast));
  items.push_back(branch);
  if (!to_end) items.push_back(AddAnyText(ast));
  return ast.Add({Kind::kSequence, nullptr, std::move(items)});
}

constexpr char kMakingAutomaton[] = "regex: its automaton";

// Texts as RegexTexts has them, before their automaton is made deterministic.
struct Undetermined {
  Nfa chars;
  LengthBounds lengths;
};

Result<Undetermined, GrammarError> NfaFrom(const RegexAst& ast, RegexNodeId root, AtBorder start,
                                           Budget& budget) {
  SimpleRegex regex = Simplify(ast, root, start);
  const LengthBounds lengths = SplitLengths(regex);
  SGLRUN_ASSIGN_OR_RETURN(Nfa nfa, BuildNfa(regex, regex.root, budget.limits()));
  return Undetermined{std::move(nfa), lengths};
}

RegexTextsResult From(const RegexAst& ast, RegexNodeId root, AtBorder start, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(const Undetermined texts, NfaFrom(ast, root, start, budget));
  SGLRUN_ASSIGN_OR_RETURN(Dfa chars, Determinize(texts.chars, budget, kMakingAutomaton));
  return RegexTexts{std::move(chars), texts.lengths};
}

DfaResult OneAutomaton(RegexTexts texts, Budget& budget) {
  return Bounded(std::move(texts.chars), texts.lengths, budget);
}

// The first branch, matched from one place up to the end of the text, and what the look-aheads at
// that place say of the rest of the text.
RegexTextsResult FromPlace(RegexAst& ast, RegexMatch match, AtBorder start, Budget& budget) {
  const auto up_to_end = [&](RegexNodeId body, bool anything_after) {
    if (!anything_after || EndsAtEnd(ast, body)) return body;
    return ast.Add({Kind::kSequence, nullptr, {body, AddAnyText(ast)}});
  };
  const RegexNodeId rest = up_to_end(ast.branches.front(), match == RegexMatch::kSearch);
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts language, From(ast, rest, start, budget));
  for (const RegexAst::LookAhead& ahead : ast.look_aheads) {
    const RegexNodeId body = up_to_end(ahead.body, true);
    SGLRUN_ASSIGN_OR_RETURN(const Undetermined seen, NfaFrom(ast, body, start, budget));
    SGLRUN_ASSIGN_OR_RETURN(Dfa both,
                            Intersect(language.chars, seen.chars, budget, kMakingAutomaton));
    if (ahead.negative) {
      SGLRUN_ASSIGN_OR_RETURN(both, Bounded(std::move(both), seen.lengths, budget));
      SGLRUN_ASSIGN_OR_RETURN(language.chars, Subtract(language.chars, both, budget));
    } else {
      language.chars = std::move(both);
      language.lengths = Conjoin(language.lengths, seen.lengths);
    }
  }
  return language;
}

bool HoldsEmptyText(const RegexTexts& texts) {
  return !texts.chars.states.empty() && texts.chars.states.front().accepting &&
         texts.lengths.min <= 0 && !texts.lengths.empty();
}

RegexTextsResult FirstBranch(RegexAst& ast, RegexMatch match, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts texts, FromPlace(ast, match, AtBorder::kAlways, budget));
  if (match == RegexMatch::kFull) return texts;
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts more, FromPlace(ast, match, AtBorder::kNever, budget));
  if (IsEmpty(more.chars)) return texts;
  // Found at the very end of any text.
  if (HoldsEmptyText(texts) && HoldsEmptyText(more)) return RegexTexts{AnyText()};
  SGLRUN_ASSIGN_OR_RETURN(const Dfa at_start, OneAutomaton(std::move(texts), budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa later, OneAutomaton(std::move(more), budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa before, LengthBetween(1, std::nullopt, budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa moved, Concatenate(before, later, budget));
  SGLRUN_ASSIGN_OR_RETURN(Dfa all, Unite(at_start, moved, budget));
  return RegexTexts{std::move(all)};
}

}  // namespace

RegexNodeId WholeText(RegexAst& ast, std::vector<RegexNodeId> branches, RegexMatch match) {
  if (match == RegexMatch::kSearch) {
    for (RegexNodeId& branch : branches) branch = Surround(ast, branch);
  }
  if (branches.size() == 1) return branches.front();
  return ast.Add({Kind::kChoice, nullptr, std::move(branches)});
}

RegexTextsResult TextsOf(RegexAst& ast, RegexMatch match, Budget& budget) {
  if (ast.look_aheads.empty()) {
    const RegexNodeId root = WholeText(ast, ast.branches, match);
    return From(ast, root, AtBorder::kAlways, budget);
  }
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts first, FirstBranch(ast, match, budget));
  if (ast.branches.size() == 1) return first;
  const RegexNodeId root = WholeText(ast, {ast.branches.begin() + 1, ast.branches.end()}, match);
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts more, From(ast, root, AtBorder::kAlways, budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa one, OneAutomaton(std::move(first), budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa others, OneAutomaton(std::move(more), budget));
  SGLRUN_ASSIGN_OR_RETURN(Dfa all, Unite(one, others, budget));
  return RegexTexts{std::move(all)};
}

RegexTextsResult RegexTextsOf(std::string_view pattern, RegexMatch match, RegexFlags flags,
                              Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(RegexAst ast, ParseRegex(pattern, flags, budget.limits()));
  return TextsOf(ast, match, budget);
}

DfaResult RegexDfa(std::string_view pattern, RegexMatch match, RegexFlags flags, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(RegexTexts texts, RegexTextsOf(pattern, match, flags, budget));
  return OneAutomaton(std::move(texts), budget);
}

}  // namespace sglrun::grammar
