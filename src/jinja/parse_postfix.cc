// What follows a primary expression: subscripts, calls, filters, tests.
#include "jinja/parser.h"

namespace sglrun::jinja {
namespace {

ExprPtr MakePostfix(Expr::Kind kind, int line, ExprPtr operand) {
  auto node = std::make_unique<Expr>();
  node->kind = kind;
  node->line = line;
  node->children.push_back(std::move(operand));
  return node;
}

}  // namespace

Try<ExprPtr> Parser::ParsePostfix(ExprPtr node) {
  while (true) {
    if (current().IsOperator(".") || current().IsOperator("[")) {
      SGLRUN_ASSIGN_OR_RETURN(node, ParseSubscript(std::move(node)));
    } else if (current().IsOperator("(")) {
      SGLRUN_ASSIGN_OR_RETURN(node, ParseCall(std::move(node)));
    } else {
      return node;
    }
  }
}

Try<ExprPtr> Parser::ParseFilterExpression(ExprPtr node) {
  while (true) {
    if (current().IsOperator("|")) {
      SGLRUN_ASSIGN_OR_RETURN(node, ParseFilter(std::move(node)));
    } else if (current().IsName("is")) {
      SGLRUN_ASSIGN_OR_RETURN(node, ParseTest(std::move(node)));
    } else if (current().IsOperator("(")) {
      SGLRUN_ASSIGN_OR_RETURN(node, ParseCall(std::move(node)));
    } else {
      return node;
    }
  }
}

Try<ExprPtr> Parser::ParseSubscript(ExprPtr operand) {
  const Token opening = Next();
  if (opening.text == ".") {
    const Token name = Next();
    if (name.kind == TokenKind::kName) {
      ExprPtr node = MakePostfix(Expr::Kind::kGetAttr, opening.line, std::move(operand));
      node->text = name.text;
      node->constant = Value::Str(name.text);
      return Finish(std::move(node));
    }
    if (name.kind != TokenKind::kNumber || !name.value.is_integer()) {
      return Error("expected name or number", name.line);
    }
    ExprPtr node = MakePostfix(Expr::Kind::kGetItem, opening.line, std::move(operand));
    auto index = std::make_unique<Expr>();
    index->line = name.line;
    index->constant = name.value;
    node->children.push_back(std::move(index));
    return Finish(std::move(node));
  }
  std::vector<ExprPtr> args;
  while (!current().IsOperator("]")) {
    if (!args.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr arg, ParseSubscribed());
    args.push_back(std::move(arg));
  }
  Next();
  ExprPtr node = MakePostfix(Expr::Kind::kGetItem, opening.line, std::move(operand));
  if (args.size() == 1) {
    node->children.push_back(std::move(args[0]));
  } else {
    auto tuple = std::make_unique<Expr>();
    tuple->kind = Expr::Kind::kTuple;
    tuple->line = opening.line;
    tuple->children = std::move(args);
    SGLRUN_ASSIGN_OR_RETURN(tuple, Finish(std::move(tuple)));
    node->children.push_back(std::move(tuple));
  }
  return Finish(std::move(node));
}

// An index, or a slice.
Try<ExprPtr> Parser::ParseSubscribed() {
  auto slice = std::make_unique<Expr>();
  slice->kind = Expr::Kind::kSlice;
  slice->line = current().line;
  const auto at_end = [&] {
    return current().IsOperator("]") || current().IsOperator(",") || current().IsOperator(":");
  };
  ExprPtr start, stop, step;
  if (!current().IsOperator(":")) {
    SGLRUN_ASSIGN_OR_RETURN(start, ParseExpression());
    if (!current().IsOperator(":")) return start;
  }
  Next();
  if (!at_end()) {
    SGLRUN_ASSIGN_OR_RETURN(stop, ParseExpression());
  }
  if (SkipOperator(":") && !current().IsOperator("]") && !current().IsOperator(",")) {
    SGLRUN_ASSIGN_OR_RETURN(step, ParseExpression());
  }
  slice->children.push_back(std::move(start));
  slice->children.push_back(std::move(stop));
  slice->children.push_back(std::move(step));
  return Finish(std::move(slice));
}

Try<void> Parser::ParseCallArg(Expr& call, int line) {
  const Fault wrong = Error("invalid syntax for function call expression", line);
  if (SkipOperator("*")) {
    if (call.star_args || call.star_named) return wrong;
    SGLRUN_ASSIGN_OR_RETURN(call.star_args, ParseExpression());
    return {};
  }
  if (SkipOperator("**")) {
    if (call.star_named) return wrong;
    SGLRUN_ASSIGN_OR_RETURN(call.star_named, ParseExpression());
    return {};
  }
  if (current().kind == TokenKind::kName && look().IsOperator("=")) {
    if (call.star_named) return wrong;
    std::string name = Next().text;
    Next();
    for (const auto& [other, value] : call.named) {
      if (other == name) return Error("keyword argument repeated: " + name, line);
    }
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr value, ParseExpression());
    call.named.emplace_back(std::move(name), std::move(value));
    return {};
  }
  if (call.star_args || call.star_named || !call.named.empty()) return wrong;
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr value, ParseExpression());
  call.args.push_back(std::move(value));
  return {};
}

Try<void> Parser::ParseCallArgs(Expr& call) {
  const int line = Next().line;
  bool first = true;
  while (!current().IsOperator(")")) {
    if (!first) {
      SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
      if (current().IsOperator(")")) break;
    }
    first = false;
    SGLRUN_RETURN_IF_ERROR(ParseCallArg(call, line));
  }
  Next();
  return {};
}

Try<ExprPtr> Parser::ParseCall(ExprPtr operand) {
  ExprPtr node = MakePostfix(Expr::Kind::kCall, current().line, std::move(operand));
  SGLRUN_RETURN_IF_ERROR(ParseCallArgs(*node));
  return Finish(std::move(node));
}

Try<std::string> Parser::DottedName() {
  SGLRUN_ASSIGN_OR_RETURN(const Token first, Expect(TokenKind::kName));
  std::string name = first.text;
  while (SkipOperator(".")) {
    SGLRUN_ASSIGN_OR_RETURN(const Token part, Expect(TokenKind::kName));
    name += "." + part.text;
  }
  return name;
}

Try<ExprPtr> Parser::ParseFilter(ExprPtr node, bool start_inline) {
  while (current().IsOperator("|") || start_inline) {
    if (!start_inline) Next();
    start_inline = false;
    ExprPtr filter = MakePostfix(Expr::Kind::kFilter, current().line, std::move(node));
    SGLRUN_ASSIGN_OR_RETURN(filter->text, DottedName());
    if (current().IsOperator("(")) SGLRUN_RETURN_IF_ERROR(ParseCallArgs(*filter));
    SGLRUN_ASSIGN_OR_RETURN(node, Finish(std::move(filter)));
  }
  return node;
}

Try<ExprPtr> Parser::ParseTest(ExprPtr operand) {
  const int line = Next().line;
  const bool negated = SkipName("not");
  ExprPtr node = MakePostfix(Expr::Kind::kTest, line, std::move(operand));
  SGLRUN_ASSIGN_OR_RETURN(node->text, DottedName());
  const Token& token = current();
  const bool starts_operand = token.kind == TokenKind::kName || token.kind == TokenKind::kString ||
                              token.kind == TokenKind::kNumber || token.IsOperator("[") ||
                              token.IsOperator("{");
  if (token.IsOperator("(")) {
    SGLRUN_RETURN_IF_ERROR(ParseCallArgs(*node));
  } else if (starts_operand && !token.IsName("else") && !token.IsName("or") &&
             !token.IsName("and")) {
    if (token.IsName("is")) return Error("You cannot chain multiple tests with is");
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr argument, ParsePrimary());
    SGLRUN_ASSIGN_OR_RETURN(argument, ParsePostfix(std::move(argument)));
    node->args.push_back(std::move(argument));
  }
  SGLRUN_ASSIGN_OR_RETURN(node, Finish(std::move(node)));
  if (!negated) return node;
  return Finish(MakePostfix(Expr::Kind::kNot, line, std::move(node)));
}

}  // namespace sglrun::jinja
