// Names, literals, and expressions in brackets.
#include "jinja/parser.h"

namespace sglrun::jinja {
Try<ExprPtr> Parser::ParsePrimary(bool with_namespace) {
  const Token token = current();
  ExprPtr node = MakeExpr(Expr::Kind::kConst, token.line);
  switch (token.kind) {
    case TokenKind::kName:
      Next();
      if (token.text == "true" || token.text == "True" || token.text == "false" ||
          token.text == "False") {
        node->constant = Value::Bool(token.text == "true" || token.text == "True");
      } else if (token.text == "none" || token.text == "None") {
        node->constant = Value::None();
      } else if (with_namespace && SkipOperator(".")) {
        SGLRUN_ASSIGN_OR_RETURN(Token attribute, Expect(TokenKind::kName));
        node->kind = Expr::Kind::kAttribute;
        node->text = token.text;
        node->attribute = std::move(attribute.text);
      } else {
        node->kind = Expr::Kind::kName;
        node->text = token.text;
      }
      return node;
    case TokenKind::kString: {
      std::string text;
      while (current().kind == TokenKind::kString) text += Next().text;
      node->constant = Value::Str(std::move(text));
      return node;
    }
    case TokenKind::kNumber:
      node->constant = Next().value;
      return node;
    default:
      break;
  }
  if (SkipOperator("(")) {
    SGLRUN_ASSIGN_OR_RETURN(node, ParseTuple({.in_parentheses = true}));
    SGLRUN_RETURN_IF_ERROR(ExpectOperator(")"));
    return node;
  }
  if (token.IsOperator("[")) return ParseList();
  if (token.IsOperator("{")) return ParseDict();
  return Unexpected("");
}

Try<ExprPtr> Parser::ParseList() {
  ExprPtr node = MakeExpr(Expr::Kind::kList, Next().line);
  while (!current().IsOperator("]")) {
    if (!node->children.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    if (current().IsOperator("]")) break;
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr item, ParseExpression());
    node->children.push_back(std::move(item));
  }
  Next();
  return Finish(std::move(node));
}

Try<ExprPtr> Parser::ParseDict() {
  ExprPtr node = MakeExpr(Expr::Kind::kDict, Next().line);
  while (!current().IsOperator("}")) {
    if (!node->children.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    if (current().IsOperator("}")) break;
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr key, ParseExpression());
    SGLRUN_RETURN_IF_ERROR(ExpectOperator(":"));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr value, ParseExpression());
    node->children.push_back(std::move(key));
    node->children.push_back(std::move(value));
  }
  Next();
  return Finish(std::move(node));
}

}  // namespace sglrun::jinja
