// Formats that are free text: any_text and dispatch.
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

ExprResult Builder::FreeText(const Node& node, TextDispatch dispatch, const Texts& excludes,
                             const Around& around) {
  for (const auto& [exclude, at] : excludes) {
    for (const auto& [trigger, next] : dispatch.pairs) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("comparing excludes with triggers"));
      if (!trigger.starts_with(exclude)) continue;
      return at.Invalid("\"" + exclude + "\" begins the trigger \"" + trigger +
                        "\", which could never be written");
    }
    dispatch.excludes.push_back(exclude);
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

ExprResult Builder::Build(const DispatchFormat& format, const Node& node, const Around& around) {
  TextDispatch dispatch;
  if (!format.loop.value) dispatch.after = TextDispatch::After::kEnd;
  std::vector<std::string> seen;
  for (const Node& rule : format.rules.value) {
    SGLRUN_ASSIGN_OR_RETURN(const auto pair, rule.Items());
    if (pair.size() != 2) return rule.Expected("[pattern, format]");
    SGLRUN_ASSIGN_OR_RETURN(std::string pattern,
                            kNonEmptyText.read(pair[0], kNonEmptyText.expected));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId next, Format(pair[1], around));
    seen.push_back(pattern);
    dispatch.pairs.push_back({std::move(pattern), next});
  }
  std::ranges::sort(seen);
  const auto twice = std::ranges::adjacent_find(seen);
  if (twice != seen.end()) {
    return format.rules.at.Invalid("the pattern \"" + *twice + "\" is given twice");
  }
  return FreeText(node, std::move(dispatch), format.excludes.value, around);
}

}  // namespace sglrun::grammar::tag
