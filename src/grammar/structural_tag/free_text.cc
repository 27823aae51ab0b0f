// Formats that are free text: any_text and dispatch (grammar.md 4.2, 4.3, 4.5).
#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"
#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {
namespace {

// Beginnings of `end` after which a text must not stop: what follows, the end itself, would then
// complete an earlier occurrence. ("`" and "``" of "```".)
std::vector<std::string> OverlappingStarts(const std::string& end) {
  std::vector<std::string> starts;
  std::size_t cut = 0;
  while (cut < end.size()) {
    DecodeUtf8(end, cut);
    if (cut < end.size() && end.starts_with(std::string_view(end).substr(cut))) {
      starts.push_back(end.substr(0, cut));
    }
  }
  return starts;
}

}  // namespace

ExprResult Builder::FreeText(const Node& node, TextDispatch dispatch, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto exclude_nodes, node.ListOrNone("excludes"));
  SGLRUN_ASSIGN_OR_RETURN(dispatch.excludes, node.Texts(exclude_nodes));
  for (std::size_t i = 0; i < dispatch.excludes.size(); ++i) {
    for (const auto& [trigger, next] : dispatch.pairs) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("comparing excludes with triggers"));
      if (!trigger.starts_with(dispatch.excludes[i])) continue;
      return exclude_nodes[i].Invalid("\"" + dispatch.excludes[i] + "\" begins the trigger \"" +
                                      trigger + "\", which could never be written");
    }
  }
  if (around.before_end) {
    dispatch.ends = around.ends;
  } else {
    dispatch.excludes.insert(dispatch.excludes.end(), around.ends.begin(), around.ends.end());
  }
  ExprResult expr = AppendTextDispatch(front_, dispatch);
  if (!expr.ok()) return node.Within(expr.error());
  return expr;
}

ExprResult Builder::AnyText(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto max_tokens, node.Count("max_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const auto max_chars, node.Count("max_chars"));
  const TextBounds bounds{.chars = max_chars, .tokens = max_tokens};
  if (!max_chars && !max_tokens) return FreeText(node, {}, around);
  SGLRUN_ASSIGN_OR_RETURN(const auto exclude_nodes, node.ListOrNone("excludes"));
  SGLRUN_ASSIGN_OR_RETURN(const auto excludes, node.Texts(exclude_nodes));
  return ShortText(node, bounds, excludes, around);
}

ExprResult Builder::ShortText(const Node& node, const TextBounds& bounds,
                              const std::vector<std::string>& excludes, const Around& around) {
  std::vector<std::string> forbidden = excludes;
  forbidden.insert(forbidden.end(), around.ends.begin(), around.ends.end());
  const Limits& limits = front_.budget.limits();
  const bool counts_only = forbidden.empty() && !bounds.tokens;
  const std::int64_t most_chars = counts_only ? limits.repetition : limits.expanded_states;
  if (bounds.chars.value_or(0) > most_chars) {
    return node.Member("max_chars")
        .Error(Verdict::kTooLarge, "at most " + std::to_string(most_chars) + " are possible here");
  }
  if (bounds.tokens.value_or(0) > limits.repetition) {
    return node.Member("max_tokens")
        .Error(Verdict::kTooLarge,
               "at most " + std::to_string(limits.repetition) + " are possible");
  }
  if (counts_only) {
    const ExprId any = front_.grammar.Chars(CharSet::All());
    return *bounds.chars == 0 ? front_.grammar.Empty()
                              : front_.grammar.Repeat(any, 0, *bounds.chars);
  }
  const auto build = [&]() -> ExprResult {
    Budget& budget = front_.budget;
    Dfa good = sglrun::grammar::AnyText();
    if (!forbidden.empty()) {
      SGLRUN_ASSIGN_OR_RETURN(Dfa bad, Concatenate(good, Words(forbidden), budget));
      SGLRUN_ASSIGN_OR_RETURN(bad, Concatenate(bad, good, budget));
      SGLRUN_ASSIGN_OR_RETURN(good, ComplementText(bad, budget));
    }
    std::vector<std::string> starts;
    if (around.before_end) {
      for (const std::string& end : around.ends) {
        const auto more = OverlappingStarts(end);
        starts.insert(starts.end(), more.begin(), more.end());
      }
    }
    if (!starts.empty()) {
      SGLRUN_ASSIGN_OR_RETURN(const Dfa tails,
                              Concatenate(sglrun::grammar::AnyText(), Words(starts), budget));
      SGLRUN_ASSIGN_OR_RETURN(good, Subtract(good, tails, budget));
    }
    if (bounds.chars) {
      // Not LimitChars: no text is longer here, even where it cannot end before its bound.
      SGLRUN_ASSIGN_OR_RETURN(const Dfa length, LengthBetween(0, bounds.chars, budget));
      SGLRUN_ASSIGN_OR_RETURN(good, Intersect(good, length, budget));
    }
    SGLRUN_ASSIGN_OR_RETURN(const Dfa bytes, ToUtf8(good, budget));
    return BoundedText(front_, bytes, {.tokens = bounds.tokens});
  };
  ExprResult expr = build();
  if (!expr.ok()) return node.Within(expr.error());
  return expr;
}

ExprResult Builder::Dispatch(const Node& node, const Around& around) {
  TextDispatch dispatch;
  SGLRUN_ASSIGN_OR_RETURN(const bool loop, node.Flag("loop", true));
  if (!loop) dispatch.after = TextDispatch::After::kEnd;
  SGLRUN_ASSIGN_OR_RETURN(const auto rules, node.Member("rules").Items());
  std::vector<std::string> seen;
  for (const Node& rule : rules) {
    SGLRUN_ASSIGN_OR_RETURN(const auto pair, rule.Items());
    if (pair.size() != 2) return rule.Expected("[pattern, format]");
    SGLRUN_ASSIGN_OR_RETURN(std::string pattern, pair[0].AsNonEmptyText());
    SGLRUN_ASSIGN_OR_RETURN(const ExprId next, Format(pair[1], around));
    seen.push_back(pattern);
    dispatch.pairs.push_back({std::move(pattern), next});
  }
  std::ranges::sort(seen);
  const auto twice = std::ranges::adjacent_find(seen);
  if (twice != seen.end()) {
    return node.Member("rules").Invalid("the pattern \"" + *twice + "\" is given twice");
  }
  return FreeText(node, std::move(dispatch), around);
}

}  // namespace sglrun::grammar::tag
