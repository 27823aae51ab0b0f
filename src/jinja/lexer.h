// Template text to tokens, with the white-space rules of trim_blocks and lstrip_blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jinja/fault.h"
#include "jinja/value.h"

namespace sglrun::jinja {

enum class TokenKind {
  kData,        // text of the template
  kBlockBegin,  // {%
  kBlockEnd,
  kVariableBegin,  // {{
  kVariableEnd,
  kName,
  kString,
  kNumber,    // an integer or a float, in `value`
  kOperator,  // its text
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text = {};
  Value value = {};  // of a number
  int line = 1;

  bool Is(TokenKind k, std::string_view t) const { return kind == k && text == t; }
  bool IsName(std::string_view t) const { return Is(TokenKind::kName, t); }
  bool IsOperator(std::string_view t) const { return Is(TokenKind::kOperator, t); }
};

// Ends with a kEnd token.
Try<std::vector<Token>> Tokenize(std::string_view source);

}  // namespace sglrun::jinja
