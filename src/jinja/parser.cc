#include "jinja/parser.h"

namespace sglrun::jinja {
namespace {

std::string Describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::kData:
      return "template data / text";
    case TokenKind::kBlockBegin:
      return "begin of statement block";
    case TokenKind::kBlockEnd:
      return "end of statement block";
    case TokenKind::kVariableBegin:
      return "begin of print statement";
    case TokenKind::kVariableEnd:
      return "end of print statement";
    case TokenKind::kName:
      return "name";
    case TokenKind::kString:
      return "string";
    case TokenKind::kNumber:
      return "number";
    case TokenKind::kOperator:
      return "operator";
    case TokenKind::kEnd:
      return "end of template";
  }
  return "";
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kName || token.kind == TokenKind::kOperator) return token.text;
  if (token.kind == TokenKind::kNumber) return token.value.is_integer() ? "integer" : "float";
  return Describe(token.kind);
}

}  // namespace

Token Parser::Next() {
  Token token = current();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::SkipName(std::string_view name) {
  if (!current().IsName(name)) return false;
  Next();
  return true;
}

bool Parser::SkipOperator(std::string_view op) {
  if (!current().IsOperator(op)) return false;
  Next();
  return true;
}

Fault Parser::Error(std::string message, int line) const {
  return {FaultKind::kSyntax, std::move(message), line != 0 ? line : current().line};
}

Fault Parser::Unexpected(const std::string& expected) const {
  if (expected.empty()) return Error("unexpected '" + Describe(current()) + "'");
  if (current().kind == TokenKind::kEnd) {
    return Error("unexpected end of template, expected '" + expected + "'.");
  }
  return Error("expected token '" + expected + "', got '" + Describe(current()) + "'");
}

Try<Token> Parser::Expect(TokenKind kind) {
  if (current().kind != kind) return Unexpected(Describe(kind));
  return Next();
}

Try<void> Parser::ExpectOperator(std::string_view op) {
  if (!SkipOperator(op)) return Unexpected(std::string(op));
  return {};
}

Try<void> Parser::ExpectName(std::string_view name) {
  if (!SkipName(name)) return Unexpected(std::string(name));
  return {};
}

Try<Body> Parser::ParseTemplate() {
  return SubParse({});
}

Try<Body> Parse(std::string_view source) {
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(source));
  return Parser(std::move(tokens)).ParseTemplate();
}

}  // namespace sglrun::jinja
