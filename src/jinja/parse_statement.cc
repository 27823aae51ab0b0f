#include <algorithm>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/parser.h"

namespace sglrun::jinja {
namespace {

// Python refuses a hundred levels of indentation, which every statement becomes.
constexpr std::size_t kMaxStatementDepth = 90;

StmtPtr MakeStmt(Stmt::Kind kind, int line) {
  auto statement = std::make_unique<Stmt>();
  statement->kind = kind;
  statement->line = line;
  return statement;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A copy of a tree. Targets contain only names and tuples of names.
ExprPtr CopyTarget(const Expr& target) {
  auto copy = std::make_unique<Expr>();
  copy->kind = target.kind;
  copy->line = target.line;
  copy->text = target.text;
  copy->attribute = target.attribute;
  for (const ExprPtr& child : target.children) copy->children.push_back(CopyTarget(*child));
  return copy;
}

}  // namespace

std::string Parser::LookingFor() const {
  std::string names;
  for (const std::string& name : end_tags_.back()) {
    names += (names.empty() ? "'" : " or '") + name + "'";
  }
  return names;
}

Fault Parser::UnknownTag(const std::string& name) const {
  std::string message = "Encountered unknown tag '" + name + "'.";
  if (!end_tags_.empty()) {
    const bool nested = std::any_of(end_tags_.begin(), end_tags_.end(),
                                    [&](const Names& names) { return Contains(names, name); });
    message += nested ? " You probably made a nesting mistake. Jinja is expecting this tag, but "
                        "currently looking for " +
                            LookingFor() + "."
                      : " Jinja was looking for the following tags: " + LookingFor() + ".";
  }
  if (!open_tags_.empty()) {
    message += " The innermost block that needs to be closed is '" + open_tags_.back() + "'.";
  }
  return Error(std::move(message));
}

Fault Parser::EndOfTemplate() const {
  return Error(
      "Unexpected end of template. Jinja was looking for the following tags: " + LookingFor() +
      ". The innermost block that needs to be closed is '" + open_tags_.back() + "'.");
}

StmtPtr Parser::NewStmt(Stmt::Kind kind, int line) const {
  StmtPtr node = MakeStmt(kind, line);
  node->escapes = escapes_;
  node->asks = asks_;
  return node;
}

Try<Body> Parser::SubParse(const Names& end) {
  Body body;
  StmtPtr output;
  const auto print = [&](ExprPtr expr) {
    if (!output) output = NewStmt(Stmt::Kind::kOutput, expr->line);
    output->exprs.push_back(std::move(expr));
  };
  while (current().kind != TokenKind::kEnd) {
    const Token token = Next();
    if (token.kind == TokenKind::kData) {
      auto data = std::make_unique<Expr>();
      data->kind = Expr::Kind::kData;
      data->line = token.line;
      data->constant = Value::Str(token.text);
      print(std::move(data));
    } else if (token.kind == TokenKind::kVariableBegin) {
      SGLRUN_ASSIGN_OR_RETURN(ExprPtr expr, ParseTuple({}));
      SGLRUN_RETURN_IF_ERROR(Expect(TokenKind::kVariableEnd));
      print(std::move(expr));
    } else {
      if (output) body.push_back(std::move(output));
      output.reset();
      if (current().kind == TokenKind::kName && Contains(end, current().text)) return body;
      SGLRUN_RETURN_IF_ERROR(Statement(body));
      SGLRUN_RETURN_IF_ERROR(Expect(TokenKind::kBlockEnd));
    }
  }
  if (output) body.push_back(std::move(output));
  return body;
}

Try<Body> Parser::Statements(const Names& end, bool drop_needle) {
  SkipOperator(":");
  SGLRUN_RETURN_IF_ERROR(Expect(TokenKind::kBlockEnd));
  end_tags_.push_back(end);
  SGLRUN_ASSIGN_OR_RETURN(Body body, SubParse(end));
  if (current().kind == TokenKind::kEnd) return EndOfTemplate();
  end_tags_.pop_back();
  if (drop_needle) Next();
  return body;
}

Try<void> Parser::Statement(Body& out) {
  if (current().kind != TokenKind::kName) return Error("tag name expected");
  const std::string tag = current().text;
  if (open_tags_.size() >= kMaxStatementDepth) return Error("statements are nested too deeply");
  if (tag == "break" || tag == "continue") {
    out.push_back(
        MakeStmt(tag == "break" ? Stmt::Kind::kBreak : Stmt::Kind::kContinue, Next().line));
    return {};
  }
  using Method = Try<StmtPtr> (Parser::*)();
  static const std::vector<std::pair<std::string_view, Method>> kStatements = {
      {"for", &Parser::ParseFor},
      {"if", &Parser::ParseIf},
      {"set", &Parser::ParseSet},
      {"macro", &Parser::ParseMacro},
      {"call", &Parser::ParseCallBlock},
      {"filter", &Parser::ParseFilterBlock},
      {"with", &Parser::ParseWith},
      {"block", &Parser::ParseBlock},
      {"autoescape", &Parser::ParseAutoescape},
      {"print", &Parser::ParsePrint},
      {"generation", &Parser::ParseGeneration},
  };
  const bool file = tag == "extends" || tag == "include" || tag == "import" || tag == "from";
  const auto entry = std::find_if(kStatements.begin(), kStatements.end(),
                                  [&](const auto& row) { return row.first == tag; });
  if (!file && entry == kStatements.end()) return UnknownTag(tag);
  open_tags_.push_back(tag);
  SGLRUN_ASSIGN_OR_RETURN(StmtPtr statement, file ? ParseFile(tag) : (this->*entry->second)());
  open_tags_.pop_back();
  out.push_back(std::move(statement));
  return {};
}

Try<StmtPtr> Parser::ParseFor() {
  StmtPtr node = NewStmt(Stmt::Kind::kFor, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->target, ParseTarget("in", false));
  SGLRUN_RETURN_IF_ERROR(ExpectName("in"));
  SGLRUN_ASSIGN_OR_RETURN(node->value,
                          ParseTuple({.with_condition = false, .end_name = "recursive"}));
  if (SkipName("if")) {
    SGLRUN_ASSIGN_OR_RETURN(node->test, ParseExpression());
    node->test_target = CopyTarget(*node->target);
  }
  node->recursive = SkipName("recursive");
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endfor", "else"}, false));
  if (Next().text == "endfor") return node;
  SGLRUN_ASSIGN_OR_RETURN(node->otherwise, Statements({"endfor"}, true));
  return node;
}

Try<StmtPtr> Parser::ParseIf() {
  StmtPtr node = MakeStmt(Stmt::Kind::kIf, current().line);
  while (true) {
    Next();
    Stmt::Branch branch;
    SGLRUN_ASSIGN_OR_RETURN(branch.test, ParseTuple({.with_condition = false}));
    SGLRUN_ASSIGN_OR_RETURN(branch.body, Statements({"elif", "else", "endif"}, false));
    node->branches.push_back(std::move(branch));
    if (current().IsName("elif")) continue;
    if (Next().text == "endif") return node;
    SGLRUN_ASSIGN_OR_RETURN(node->otherwise, Statements({"endif"}, true));
    return node;
  }
}

Try<StmtPtr> Parser::ParseSet() {
  StmtPtr node = NewStmt(Stmt::Kind::kSet, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->target, ParseTarget("", true));
  if (SkipOperator("=")) {
    SGLRUN_ASSIGN_OR_RETURN(node->value, ParseTuple({}));
    return node;
  }
  node->kind = Stmt::Kind::kSetBlock;
  SGLRUN_ASSIGN_OR_RETURN(node->value, ParseFilter(nullptr));
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endset"}, true));
  return node;
}

Try<void> Parser::ParseSignature(Stmt& macro) {
  SGLRUN_RETURN_IF_ERROR(ExpectOperator("("));
  while (!current().IsOperator(")")) {
    if (!macro.exprs.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr parameter, ParseNameTarget());
    for (const ExprPtr& other : macro.exprs) {
      if (other->text != parameter->text) continue;
      return Error("duplicate argument '" + parameter->text + "' in function definition");
    }
    if (SkipOperator("=")) {
      SGLRUN_ASSIGN_OR_RETURN(ExprPtr standard, ParseExpression());
      macro.values.push_back(std::move(standard));
    } else if (!macro.values.empty()) {
      return Error("non-default argument follows default argument");
    }
    macro.exprs.push_back(std::move(parameter));
  }
  Next();
  return {};
}

Try<StmtPtr> Parser::ParseMacro() {
  StmtPtr node = MakeStmt(Stmt::Kind::kMacro, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->target, ParseNameTarget());
  node->name = node->target->text;
  SGLRUN_RETURN_IF_ERROR(ParseSignature(*node));
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endmacro"}, true));
  return node;
}

Try<StmtPtr> Parser::ParseCallBlock() {
  StmtPtr node = MakeStmt(Stmt::Kind::kCallBlock, Next().line);
  if (current().IsOperator("(")) SGLRUN_RETURN_IF_ERROR(ParseSignature(*node));
  SGLRUN_ASSIGN_OR_RETURN(node->value, ParseExpression());
  if (node->value->kind != Expr::Kind::kCall) return Error("expected call", node->line);
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endcall"}, true));
  return node;
}

Try<StmtPtr> Parser::ParseFilterBlock() {
  StmtPtr node = NewStmt(Stmt::Kind::kFilterBlock, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->value, ParseFilter(nullptr, true));
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endfilter"}, true));
  return node;
}

Try<StmtPtr> Parser::ParseWith() {
  StmtPtr node = MakeStmt(Stmt::Kind::kWith, Next().line);
  while (current().kind != TokenKind::kBlockEnd) {
    if (!node->exprs.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr target, ParseTarget("", false));
    node->exprs.push_back(std::move(target));
    SGLRUN_RETURN_IF_ERROR(ExpectOperator("="));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr value, ParseExpression());
    node->values.push_back(std::move(value));
  }
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endwith"}, true));
  return node;
}

Try<StmtPtr> Parser::ParseBlock() {
  StmtPtr node = MakeStmt(Stmt::Kind::kBlock, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(const Token name, Expect(TokenKind::kName));
  node->name = name.text;
  node->scoped = SkipName("scoped");
  node->required = SkipName("required");
  if (current().IsOperator("-")) {
    return Error(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use "
        "an underscore instead.");
  }
  // Blocks know nothing of where they stand.
  const bool outer = std::exchange(escapes_, false), outer_asks = std::exchange(asks_, false);
  Try<Body> body = Statements({"endblock"}, true);
  escapes_ = outer;
  asks_ = outer_asks;
  SGLRUN_ASSIGN_OR_RETURN(node->body, std::move(body));
  SkipName(node->name);
  return node;
}

// Whether output is escaped depends on the place of the print statement, not on the caller. With a
// computed flag, constants use the surrounding flag, because the reference prints them before it
// knows the computed one.
Try<StmtPtr> Parser::ParseAutoescape() {
  StmtPtr node = MakeStmt(Stmt::Kind::kAutoescape, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->value, ParseExpression());
  const bool outer = escapes_, outer_asks = asks_;
  const Try<Value> known = EvaluateConstant(*node->value);
  if (known.ok()) {
    escapes_ = Truth(*known);
  } else {
    asks_ = true;
  }
  Try<Body> body = Statements({"endautoescape"}, true);
  escapes_ = outer;
  asks_ = outer_asks;
  SGLRUN_ASSIGN_OR_RETURN(node->body, std::move(body));
  return node;
}

Try<StmtPtr> Parser::ParsePrint() {
  StmtPtr node = NewStmt(Stmt::Kind::kOutput, Next().line);
  while (current().kind != TokenKind::kBlockEnd) {
    if (!node->exprs.empty()) SGLRUN_RETURN_IF_ERROR(ExpectOperator(","));
    SGLRUN_ASSIGN_OR_RETURN(ExprPtr expr, ParseExpression());
    node->exprs.push_back(std::move(expr));
  }
  return node;
}

Try<StmtPtr> Parser::ParseGeneration() {
  StmtPtr node = MakeStmt(Stmt::Kind::kGeneration, Next().line);
  SGLRUN_ASSIGN_OR_RETURN(node->body, Statements({"endgeneration"}, true));
  return node;
}

// Another file is never read. As in the reference, which has no loader, that is an error only when
// the statement is reached.
Try<StmtPtr> Parser::ParseFile(const std::string& tag) {
  StmtPtr node = MakeStmt(Stmt::Kind::kRefused, Next().line);
  node->name = "{% " + tag + " %} asks for another file; a chat template cannot read files";
  while (current().kind != TokenKind::kBlockEnd) {
    if (current().kind == TokenKind::kEnd) return Unexpected("end of statement block");
    Next();
  }
  return node;
}

}  // namespace sglrun::jinja
