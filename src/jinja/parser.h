// Tokens to a tree. The grammar is jinja2's, with the statements `break`, `continue` and
// `generation`; errors have its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jinja/ast.h"
#include "jinja/lexer.h"

namespace sglrun::jinja {

Try<Body> Parse(std::string_view source);

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Try<Body> ParseTemplate();

 private:
  using Names = std::vector<std::string>;

  // The stream.
  const Token& current() const { return tokens_[at_]; }
  const Token& look() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token Next();
  bool SkipName(std::string_view name);
  bool SkipOperator(std::string_view op);
  Try<Token> Expect(TokenKind kind);
  Try<void> ExpectOperator(std::string_view op);
  Try<void> ExpectName(std::string_view name);
  Fault Error(std::string message, int line = 0) const;
  Fault Unexpected(const std::string& expected) const;

  // Statements (parse_statement.cc).
  StmtPtr NewStmt(Stmt::Kind kind, int line) const;  // knows whether it escapes
  Try<Body> SubParse(const Names& end);
  Try<Body> Statements(const Names& end, bool drop_needle);
  Try<void> Statement(Body& out);
  Try<StmtPtr> ParseFor();
  Try<StmtPtr> ParseIf();
  Try<StmtPtr> ParseSet();
  Try<StmtPtr> ParseMacro();
  Try<StmtPtr> ParseCallBlock();
  Try<StmtPtr> ParseFilterBlock();
  Try<StmtPtr> ParseWith();
  Try<StmtPtr> ParseBlock();
  Try<StmtPtr> ParseAutoescape();
  Try<StmtPtr> ParsePrint();
  Try<StmtPtr> ParseGeneration();
  Try<StmtPtr> ParseFile(const std::string& tag);
  Try<void> ParseSignature(Stmt& macro);
  Fault UnknownTag(const std::string& name) const;
  Fault EndOfTemplate() const;
  std::string LookingFor() const;

  // Expressions (parse_expression.cc).
  struct TupleRules {
    bool simplified = false;  // names and literals only, as targets are
    bool with_condition = true;
    std::string_view end_name = {};  // a name that ends it
    bool in_parentheses = false;     // may be empty
    bool with_namespace = false;     // may assign to ns.attr
  };
  Try<ExprPtr> ParseTuple(const TupleRules& rules);
  Try<ExprPtr> ParseTarget(std::string_view end_name, bool with_namespace);
  Try<ExprPtr> ParseNameTarget();
  Try<ExprPtr> ParseExpression(bool with_condition = true);
  Try<ExprPtr> ParseConditional();
  Try<ExprPtr> ParseOr();
  Try<ExprPtr> ParseAnd();
  Try<ExprPtr> ParseNot();
  Try<ExprPtr> ParseCompare();
  Try<ExprPtr> ParseSum();
  Try<ExprPtr> ParseConcat();
  Try<ExprPtr> ParseProduct();
  Try<ExprPtr> ParsePower();
  Try<ExprPtr> ParseUnary(bool with_filter = true);
  Try<ExprPtr> ParsePrimary(bool with_namespace = false);
  Try<ExprPtr> ParseList();
  Try<ExprPtr> ParseDict();
  Try<ExprPtr> ParsePostfix(ExprPtr node);
  Try<ExprPtr> ParseFilterExpression(ExprPtr node);
  Try<ExprPtr> ParseSubscript(ExprPtr node);
  Try<ExprPtr> ParseSubscribed();
  Try<void> ParseCallArgs(Expr& call);
  Try<void> ParseCallArg(Expr& call, int line);
  Try<ExprPtr> ParseCall(ExprPtr node);
  Try<ExprPtr> ParseFilter(ExprPtr node, bool start_inline = false);
  Try<ExprPtr> ParseTest(ExprPtr node);
  Try<std::string> DottedName();
  // Takes the children's depth into account; fails when the tree is too deep to be walked.
  Try<ExprPtr> Finish(ExprPtr node) const;

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;       // of expressions being parsed
  bool escapes_ = false;  // inside {% autoescape true %}
  bool asks_ = false;     // inside {% autoescape FLAG %}
  Names open_tags_;
  std::vector<Names> end_tags_;
};

}  // namespace sglrun::jinja
