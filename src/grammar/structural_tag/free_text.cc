// Formats that are free text: any_text and dispatch.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {

ExprResult Builder::FreeText(const Node& node, TextDispatch dispatch, const Texts& excludes,
                             const Around& around) {
  for (const auto& exclude : excludes) dispatch.excludes.push_back(exclude.value);
  dispatch.excludes.insert(dispatch.excludes.end(), around.ends.begin(), around.ends.end());
  dispatch.tails = around.tails;
  SGLRUN_ASSIGN_OR_RETURN(const auto dead, FindDeadTrigger(dispatch, front_.budget));
  if (dead) {
    const std::string& text = dispatch.excludes[dead->exclude];
    const bool own = dead->exclude < excludes.size();
    return (own ? excludes[dead->exclude].at : node)
        .Invalid("\"" + text + (own ? "\"" : "\" ends the tag around and") +
                 " occurs in the trigger \"" + dispatch.pairs[dead->pair].trigger +
                 "\", which could never be written");
  }
  ExprResult expr = AppendTextDispatch(front_, dispatch);
  if (!expr.ok()) return node.Within(expr.error());
  return expr;
}

ExprResult Builder::Build(const AnyTextFormat& format, const Node& node, const Around& around) {
  if (format.max_chars.value || format.max_tokens.value) return ShortText(format, node, around);
  return FreeText(node, {}, format.excludes.value, around);
}

Result<void, GrammarError> Builder::CheckBounds(const AnyTextFormat& format, bool counts_only) {
  const Limits& limits = front_.budget.limits();
  const std::int64_t most_chars = counts_only ? limits.repetition : limits.expanded_states;
  if (format.max_chars.value.value_or(0) > most_chars) {
    return format.max_chars.at.Error(
        Verdict::kTooLarge, "at most " + std::to_string(most_chars) + " are possible here");
  }
  if (format.max_tokens.value.value_or(0) > limits.repetition) {
    return format.max_tokens.at.Error(
        Verdict::kTooLarge, "at most " + std::to_string(limits.repetition) + " are possible");
  }
  return {};
}

ExprResult Builder::ShortText(const AnyTextFormat& format, const Node& node, const Around& around) {
  const TextBounds bounds{.chars = format.max_chars.value, .tokens = format.max_tokens.value};
  std::vector<std::string> forbidden = around.ends;
  for (const auto& exclude : format.excludes.value) forbidden.push_back(exclude.value);
  const bool counts_only = forbidden.empty() && !bounds.tokens;
  SGLRUN_RETURN_IF_ERROR(CheckBounds(format, counts_only));
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
    if (!around.tails.empty()) {
      SGLRUN_ASSIGN_OR_RETURN(const Dfa stops,
                              Concatenate(sglrun::grammar::AnyText(), Words(around.tails), budget));
      SGLRUN_ASSIGN_OR_RETURN(good, Subtract(good, stops, budget));
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

ExprResult Builder::Build(const DispatchFormat& format, const Node& node, const Around& around) {
  TextDispatch dispatch;
  if (!format.loop.value) dispatch.after = TextDispatch::After::kEnd;
  std::map<std::string, std::vector<ExprId>> formats;  // by pattern
  for (const Node& rule : format.rules.value) {
    SGLRUN_ASSIGN_OR_RETURN(const auto pair, rule.Items());
    if (pair.size() != 2) return rule.Expected("[pattern, format]");
    SGLRUN_ASSIGN_OR_RETURN(const std::string pattern,
                            kNonEmptyText.read(pair[0], kNonEmptyText.expected));
    SGLRUN_ASSIGN_OR_RETURN(formats[pattern].emplace_back(), Format(pair[1], around));
  }
  for (auto& [pattern, choices] : formats) {
    dispatch.pairs.push_back({pattern, front_.grammar.Choice(std::move(choices))});
  }
  return FreeText(node, std::move(dispatch), format.excludes.value, around);
}

}  // namespace sglrun::grammar::tag
