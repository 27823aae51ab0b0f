#include <algorithm>

#include "jinja/parser.h"

namespace sglrun::jinja {
namespace {

// Python refuses a deeper nesting of parentheses, which every operation becomes.
constexpr int kMaxDepth = 200;
// Levels of the grammar under way at once; a pair of parentheses takes three of them.
constexpr int kMaxNesting = 3 * kMaxDepth;

ExprPtr MakeBinary(Expr::Kind kind, std::string op, ExprPtr left, ExprPtr right) {
  ExprPtr node = MakeExpr(kind, left->line);
  node->text = std::move(op);
  node->children.push_back(std::move(left));
  node->children.push_back(std::move(right));
  return node;
}

ExprPtr MakeUnary(Expr::Kind kind, int line, ExprPtr child) {
  ExprPtr node = MakeExpr(kind, line);
  node->children.push_back(std::move(child));
  return node;
}

bool IsReserved(const std::string& name) {
  return name == "true" || name == "false" || name == "none" || name == "True" || name == "False" ||
         name == "None";
}

class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

const char* TargetName(Expr::Kind kind) {
  switch (kind) {
    case Expr::Kind::kList:
      return "list";
    case Expr::Kind::kDict:
      return "dict";
    case Expr::Kind::kName:
      return "name";
    case Expr::Kind::kTuple:
      return "tuple";
    default:
      return "const";
  }
}

bool CanAssign(const Expr& target) {
  if (target.kind == Expr::Kind::kName) return !IsReserved(target.text);
  if (target.kind == Expr::Kind::kAttribute) return true;
  if (target.kind != Expr::Kind::kTuple) return false;
  return std::all_of(target.children.begin(), target.children.end(),
                     [](const ExprPtr& child) { return CanAssign(*child); });
}

}  // namespace

Try<ExprPtr> Parser::Finish(ExprPtr node) const {
  const auto consider = [&](const ExprPtr& child) {
    if (child) node->depth = std::max(node->depth, child->depth + 1);
  };
  for (const ExprPtr& child : node->children) consider(child);
  for (const ExprPtr& child : node->args) consider(child);
  for (const auto& [name, child] : node->named) consider(child);
  consider(node->star_args);
  consider(node->star_named);
  if (node->depth > kMaxDepth) return Error("the expression is nested too deeply", node->line);
  return node;
}

Try<ExprPtr> Parser::ParseTuple(const TupleRules& rules) {
  const int line = current().line;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    if (current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd ||
        current().IsOperator(")") ||
        (!rules.end_name.empty() && current().IsName(rules.end_name))) {
      break;
    }
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr item, rules.simplified ? ParsePrimary(rules.with_namespace)
                                                           : ParseExpression(rules.with_condition));
    items.push_back(std::move(item));
    if (!current().IsOperator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return std::move(items[0]);
    if (!rules.in_parentheses) return Unexpected("");
  }
  ExprPtr node = MakeExpr(Expr::Kind::kTuple, line);
  node->children = std::move(items);
  return Finish(std::move(node));
}

Try<ExprPtr> Parser::ParseTarget(std::string_view end_name, bool with_namespace) {
  SGLRUN_ASSIGN_OR_RETURN(
      ExprPtr target,
      ParseTuple({.simplified = true, .end_name = end_name, .with_namespace = with_namespace}));
  if (!CanAssign(*target)) {
    return Error("can't assign to '" + std::string(TargetName(target->kind)) + "'", target->line);
  }
  return target;
}

Try<ExprPtr> Parser::ParseNameTarget() {
  SGLRUN_ASSIGN_OR_RETURN(Token name, Expect(TokenKind::kName));
  if (IsReserved(name.text)) return Error("can't assign to 'name'", name.line);
  ExprPtr node = MakeExpr(Expr::Kind::kName, name.line);
  node->text = std::move(name.text);
  return node;
}

Try<ExprPtr> Parser::ParseExpression(bool with_condition) {
  return with_condition ? ParseConditional() : ParseOr();
}

Try<ExprPtr> Parser::ParseConditional() {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxNesting) return Error("the expression is nested too deeply");
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr node, ParseOr());
  while (SkipName("if")) {
    ExprPtr cond = MakeExpr(Expr::Kind::kCond, node->line);
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr test, ParseOr());
    cond->children.push_back(std::move(test));
    cond->children.push_back(std::move(node));
    ExprPtr otherwise;
    if (SkipName("else")) {
      SGLRUN_ASSIGN_OR_RETURN(otherwise, ParseConditional());
    }
    cond->children.push_back(std::move(otherwise));
    SGLRUN_ASSIGN_OR_RETURN(node, Finish(std::move(cond)));
  }
  return node;
}

Try<ExprPtr> Parser::ParseOr() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr left, ParseAnd());
  while (SkipName("or")) {
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr right, ParseAnd());
    SGLRUN_ASSIGN_OR_RETURN(
        left, Finish(MakeBinary(Expr::Kind::kOr, "or", std::move(left), std::move(right))));
  }
  return left;
}

Try<ExprPtr> Parser::ParseAnd() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr left, ParseNot());
  while (SkipName("and")) {
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr right, ParseNot());
    SGLRUN_ASSIGN_OR_RETURN(
        left, Finish(MakeBinary(Expr::Kind::kAnd, "and", std::move(left), std::move(right))));
  }
  return left;
}

Try<ExprPtr> Parser::ParseNot() {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxNesting) return Error("the expression is nested too deeply");
  if (!current().IsName("not")) return ParseCompare();
  const int line = Next().line;
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr child, ParseNot());
  return Finish(MakeUnary(Expr::Kind::kNot, line, std::move(child)));
}

Try<ExprPtr> Parser::ParseCompare() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr first, ParseSum());
  ExprPtr node = MakeExpr(Expr::Kind::kCompare, first->line);
  node->children.push_back(std::move(first));
  while (true) {
    const Token& token = current();
    if (token.kind == TokenKind::kOperator &&
        (token.text == "==" || token.text == "!=" || token.text == "<" || token.text == "<=" ||
         token.text == ">" || token.text == ">=")) {
      node->operators.push_back(Next().text);
    } else if (SkipName("in")) {
      node->operators.emplace_back("in");
    } else if (token.IsName("not") && look().IsName("in")) {
      at_ += 2;
      node->operators.emplace_back("not in");
    } else {
      break;
    }
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr operand, ParseSum());
    node->children.push_back(std::move(operand));
  }
  if (node->operators.empty()) return std::move(node->children[0]);
  return Finish(std::move(node));
}

Try<ExprPtr> Parser::ParseSum() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr left, ParseConcat());
  while (current().IsOperator("+") || current().IsOperator("-")) {
    std::string op = Next().text;
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr right, ParseConcat());
    SGLRUN_ASSIGN_OR_RETURN(left, Finish(MakeBinary(Expr::Kind::kBinary, std::move(op),
                                                    std::move(left), std::move(right))));
  }
  return left;
}

Try<ExprPtr> Parser::ParseConcat() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr first, ParseProduct());
  if (!current().IsOperator("~")) return first;
  ExprPtr node = MakeExpr(Expr::Kind::kConcat, first->line);
  node->escapes = escapes_ && !asks_;
  node->children.push_back(std::move(first));
  while (SkipOperator("~")) {
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr part, ParseProduct());
    node->children.push_back(std::move(part));
  }
  return Finish(std::move(node));
}

Try<ExprPtr> Parser::ParseProduct() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr left, ParsePower());
  while (current().IsOperator("*") || current().IsOperator("/") || current().IsOperator("//") ||
         current().IsOperator("%")) {
    std::string op = Next().text;
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr right, ParsePower());
    SGLRUN_ASSIGN_OR_RETURN(left, Finish(MakeBinary(Expr::Kind::kBinary, std::move(op),
                                                    std::move(left), std::move(right))));
  }
  return left;
}

Try<ExprPtr> Parser::ParsePower() {
  SGLRUN_ASSIGN_OR_RETURN(ExprPtr left, ParseUnary());
  while (SkipOperator("**")) {
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr right, ParseUnary());
    SGLRUN_ASSIGN_OR_RETURN(
        left, Finish(MakeBinary(Expr::Kind::kBinary, "**", std::move(left), std::move(right))));
  }
  return left;
}

Try<ExprPtr> Parser::ParseUnary(bool with_filter) {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxNesting) return Error("the expression is nested too deeply");
  ExprPtr node;
  if (current().IsOperator("-") || current().IsOperator("+")) {
    const Token sign = Next();
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr child, ParseUnary(false));
    node = MakeUnary(sign.text == "-" ? Expr::Kind::kNegate : Expr::Kind::kPlus, sign.line,
                     std::move(child));
    SGLRUN_ASSIGN_OR_RETURN(node, Finish(std::move(node)));
  } else {
    SGLRUN_ASSIGN_OR_RETURN(node, ParsePrimary());
  }
  SGLRUN_ASSIGN_OR_RETURN(node, ParsePostfix(std::move(node)));
  return with_filter ? ParseFilterExpression(std::move(node)) : std::move(node);
}

}  // namespace sglrun::jinja
