// Formats over token ids.
#include <utility>

#include "grammar/ir/token_element.h"
#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {

// An id, the text of one vocabulary entry, or a format of type token.
Result<std::int32_t, GrammarError> Builder::TokenOf(const Node& node) const {
  if (node.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(const auto format, ReadFields<TokenFormat>(node));
    return TokenOf(format.token.value);
  }
  Result<std::int32_t, GrammarError> id = 0;
  if (node.json().is_string()) {
    id = TokenByText(front_, node.json().as_string());
  } else {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t number, kInteger.read(node, kToken.expected));
    id = TokenById(front_, number);
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

ExprResult Builder::Build(const TokenFormat& format, const Node&, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int32_t id, TokenOf(format.token.value));
  return front_.grammar.Tokens({id}, false);
}

ExprResult Builder::TokenBut(std::span<const Node> excluded, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(auto ids, TokensOf(excluded));
  ids.insert(ids.end(), around.end_tokens.begin(), around.end_tokens.end());
  return front_.grammar.Tokens(std::move(ids), true);
}

ExprResult Builder::Build(const ExcludeTokenFormat& format, const Node&, const Around& around) {
  return TokenBut(format.exclude_tokens.value, around);
}

ExprResult Builder::Build(const AnyTokensFormat& format, const Node&, const Around& around) {
  const std::optional<std::int64_t> most = format.max_tokens.value;
  const std::int64_t limit = front_.budget.limits().repetition;
  if (most && *most > limit) {
    return format.max_tokens.at.Error(Verdict::kTooLarge,
                                      "at most " + std::to_string(limit) + " are possible");
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId one, TokenBut(format.exclude_tokens.value, around));
  if (most == 0) return front_.grammar.Empty();
  return front_.grammar.Repeat(one, 0, most ? *most : kUnbounded);
}

ExprResult Builder::FreeTokens(TokenDispatch dispatch, std::span<const Node> excludes,
                               const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(dispatch.excludes, TokensOf(excludes));
  for (std::size_t i = 0; i < excludes.size(); ++i) {
    for (const auto& pair : dispatch.pairs) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("comparing excludes with triggers"));
      if (pair.trigger != dispatch.excludes[i]) continue;
      return excludes[i].Invalid("the token is a trigger too, which could never be reached");
    }
  }
  dispatch.excludes.insert(dispatch.excludes.end(), around.end_tokens.begin(),
                           around.end_tokens.end());
  return AppendTokenDispatch(front_, dispatch);
}

ExprResult Builder::Build(const TokenDispatchFormat& format, const Node&, const Around& around) {
  TokenDispatch dispatch;
  if (!format.loop.value) dispatch.after = TextDispatch::After::kEnd;
  for (const Node& rule : format.rules.value) {
    SGLRUN_ASSIGN_OR_RETURN(const auto pair, rule.Items());
    if (pair.size() != 2) return rule.Expected("[token, format]");
    SGLRUN_ASSIGN_OR_RETURN(const std::int32_t trigger, TokenOf(pair[0]));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId next, Format(pair[1], around));
    dispatch.pairs.push_back({trigger, next});
  }
  return FreeTokens(std::move(dispatch), format.exclude_tokens.value, around);
}

}  // namespace sglrun::grammar::tag
