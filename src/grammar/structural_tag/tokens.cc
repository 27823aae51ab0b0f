// Formats over token ids (grammar.md 4.2).
#include <algorithm>
#include <array>
#include <utility>

#include "grammar/structural_tag/format.h"
#include "grammar/token_element.h"

namespace sglrun::grammar::tag {

// An id, the text of one vocabulary entry, or a format of type token.
Result<std::int32_t, GrammarError> Builder::TokenOf(const Node& node) const {
  if (node.json().is_object()) {
    constexpr std::array<std::string_view, 2> kFields = {"type", "token"};
    SGLRUN_RETURN_IF_ERROR(node.AllowMembers(kFields));
    if (node.Has("type") && !node.Member("type").Is("token")) {
      return node.Member("type").Expected("\"token\"");
    }
    SGLRUN_ASSIGN_OR_RETURN(const Node token, node.Require("token"));
    if (token.json().is_object()) return token.Expected("a token id or its text");
    return TokenOf(token);
  }
  Result<std::int32_t, GrammarError> id = 0;
  if (node.json().is_string()) {
    id = TokenByText(front_, node.json().as_string());
  } else if (node.json().is_number()) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t number, node.AsInteger());
    id = TokenById(front_, number);
  } else {
    return node.Expected("a token id or its text");
  }
  if (!id.ok()) return node.Within(id.error());
  return id;
}

Result<std::vector<std::int32_t>, GrammarError> Builder::TokensOf(
    std::span<const Node> nodes) const {
  std::vector<std::int32_t> ids;
  for (const Node& node : nodes) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int32_t id, TokenOf(node));
    ids.push_back(id);
  }
  return ids;
}

ExprResult Builder::Token(const Node& node, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int32_t id, TokenOf(node));
  return front_.grammar.Tokens({id}, false);
}

ExprResult Builder::ExcludeToken(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto nodes, node.ListOrNone("exclude_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(auto ids, TokensOf(nodes));
  ids.insert(ids.end(), around.end_tokens.begin(), around.end_tokens.end());
  return front_.grammar.Tokens(std::move(ids), true);
}

ExprResult Builder::AnyTokens(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto most, node.Count("max_tokens"));
  const std::int64_t limit = front_.budget.limits().repetition;
  if (most && *most > limit) {
    return node.Member("max_tokens")
        .Error(Verdict::kTooLarge, "at most " + std::to_string(limit) + " are possible");
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId one, ExcludeToken(node, around));
  if (most == 0) return front_.grammar.Empty();
  return front_.grammar.Repeat(one, 0, most ? *most : kUnbounded);
}

ExprResult Builder::FreeTokens(const Node& node, TokenDispatch dispatch, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto nodes, node.ListOrNone("exclude_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(dispatch.excludes, TokensOf(nodes));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const auto& pair : dispatch.pairs) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("comparing excludes with triggers"));
      if (pair.trigger != dispatch.excludes[i]) continue;
      return nodes[i].Invalid("the token is a trigger too, which could never be reached");
    }
  }
  dispatch.excludes.insert(dispatch.excludes.end(), around.end_tokens.begin(),
                           around.end_tokens.end());
  return AppendTokenDispatch(front_, dispatch);
}

ExprResult Builder::TokenRules(const Node& node, const Around& around) {
  TokenDispatch dispatch;
  SGLRUN_ASSIGN_OR_RETURN(const bool loop, node.Flag("loop", true));
  if (!loop) dispatch.after = TextDispatch::After::kEnd;
  SGLRUN_ASSIGN_OR_RETURN(const auto rules, node.Member("rules").Items());
  std::vector<std::int32_t> seen;
  for (const Node& rule : rules) {
    SGLRUN_ASSIGN_OR_RETURN(const auto pair, rule.Items());
    if (pair.size() != 2) return rule.Expected("[token, format]");
    SGLRUN_ASSIGN_OR_RETURN(const std::int32_t trigger, TokenOf(pair[0]));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId next, Format(pair[1], around));
    seen.push_back(trigger);
    dispatch.pairs.push_back({trigger, next});
  }
  std::ranges::sort(seen);
  const auto twice = std::ranges::adjacent_find(seen);
  if (twice != seen.end()) {
    return node.Member("rules").Invalid("the token " + std::to_string(*twice) + " is given twice");
  }
  return FreeTokens(node, std::move(dispatch), around);
}

}  // namespace sglrun::grammar::tag
