#include "grammar/regex/regex_language.h"

#include <utility>

#include "grammar/grammar.h"
#include "grammar/regex/regex_nfa.h"
#include "grammar/regex/simplify.h"

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

RegexNodeId AddAnyText(RegexAst& ast) {
  const RegexNodeId any = ast.Add({Kind::kChars, std::make_shared<const CharSet>(CharSet::All())});
  return ast.Add({Kind::kRepeat, nullptr, {any}, 0, kUnbounded});
}

// What may stand around a match found by searching. Beside an anchor nothing may, and saying so
// here keeps the usual ^...$ free of anchors that depend on the text.
RegexNodeId Surround(RegexAst& ast, RegexNodeId branch) {
  const auto is = [&](RegexNodeId id, Kind kind) { return ast[id].kind == kind; };
  const RegexNode& node = ast[branch];
  const bool sequence = node.kind == Kind::kSequence;
  const bool from_start = is(sequence ? node.items.front() : branch, Kind::kStart);
  const bool to_end = is(sequence ? node.items.back() : branch, Kind::kEnd);
  std::vector<RegexNodeId> items;
  if (!from_start) items.push_back(AddAnyText(ast));
  items.push_back(branch);
  if (!to_end) items.push_back(AddAnyText(ast));
  return ast.Add({Kind::kSequence, nullptr, std::move(items)});
}

DfaResult DfaOf(const RegexAst& ast, RegexNodeId root, AtBorder start, Budget& budget) {
  const SimpleRegex regex = Simplify(ast, root, start);
  SGLRUN_ASSIGN_OR_RETURN(const Nfa nfa, BuildNfa(regex, regex.root, budget.limits()));
  return Determinize(nfa, budget, "regex: its automaton");
}

// The first branch, matched from one place up to the end of the text, and what the look-aheads at
// that place say of the rest of the text.
DfaResult FromPlace(RegexAst& ast, RegexMatch match, AtBorder start, Budget& budget) {
  const auto up_to_end = [&](RegexNodeId body, bool anything_after) {
    if (!anything_after) return body;
    return ast.Add({Kind::kSequence, nullptr, {body, AddAnyText(ast)}});
  };
  const RegexNodeId rest = up_to_end(ast.branches.front(), match == RegexMatch::kSearch);
  SGLRUN_ASSIGN_OR_RETURN(Dfa language, DfaOf(ast, rest, start, budget));
  for (const RegexAst::LookAhead& ahead : ast.look_aheads) {
    const RegexNodeId body = up_to_end(ahead.body, true);
    SGLRUN_ASSIGN_OR_RETURN(const Dfa seen, DfaOf(ast, body, start, budget));
    SGLRUN_ASSIGN_OR_RETURN(language, ahead.negative ? Subtract(language, seen, budget)
                                                     : Intersect(language, seen, budget));
  }
  return language;
}

DfaResult FirstBranch(RegexAst& ast, RegexMatch match, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(Dfa at_start, FromPlace(ast, match, AtBorder::kAlways, budget));
  if (match == RegexMatch::kFull) return at_start;
  SGLRUN_ASSIGN_OR_RETURN(const Dfa later, FromPlace(ast, match, AtBorder::kNever, budget));
  if (IsEmpty(later)) return at_start;
  SGLRUN_ASSIGN_OR_RETURN(const Dfa before, LengthBetween(1, std::nullopt, budget));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa moved, Concatenate(before, later, budget));
  return Unite(at_start, moved, budget);
}

}  // namespace

RegexNodeId WholeText(RegexAst& ast, std::vector<RegexNodeId> branches, RegexMatch match) {
  if (match == RegexMatch::kSearch) {
    for (RegexNodeId& branch : branches) branch = Surround(ast, branch);
  }
  if (branches.size() == 1) return branches.front();
  return ast.Add({Kind::kChoice, nullptr, std::move(branches)});
}

DfaResult LanguageOf(RegexAst& ast, RegexMatch match, Budget& budget) {
  if (ast.look_aheads.empty()) {
    const RegexNodeId root = WholeText(ast, ast.branches, match);
    return DfaOf(ast, root, AtBorder::kAlways, budget);
  }
  SGLRUN_ASSIGN_OR_RETURN(Dfa first, FirstBranch(ast, match, budget));
  if (ast.branches.size() == 1) return first;
  const RegexNodeId root = WholeText(ast, {ast.branches.begin() + 1, ast.branches.end()}, match);
  SGLRUN_ASSIGN_OR_RETURN(const Dfa others, DfaOf(ast, root, AtBorder::kAlways, budget));
  return Unite(first, others, budget);
}

DfaResult RegexDfa(std::string_view pattern, RegexMatch match, RegexFlags flags, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(RegexAst ast, ParseRegex(pattern, flags, budget.limits()));
  return LanguageOf(ast, match, budget);
}

}  // namespace sglrun::grammar
