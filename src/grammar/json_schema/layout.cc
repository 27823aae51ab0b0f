#include "grammar/json_schema/layout.h"

namespace sglrun::grammar {
namespace {

ExprId NewLine(Grammar& grammar, const std::string& before, int blanks) {
  return grammar.Bytes(before + '\n' + std::string(static_cast<std::size_t>(blanks), ' '));
}

}  // namespace

Layout Layout::From(const GrammarOptions& options) {
  Layout layout;
  layout.policy = options.whitespace;
  layout.max_whitespace = options.json_max_whitespace;
  layout.indent = options.json_indent;
  return layout;
}

ExprId Layout::Gap(Grammar& grammar) const {
  // No carriage return: models that may write one tend to write many.
  return grammar.Repeat(grammar.Chars(CharSet{{' ', ' '}, {'\t', '\n'}}), 0, max_whitespace);
}

ExprId Layout::AfterOpen(Grammar& grammar, int depth) const {
  if (policy == WhitespacePolicy::kFlexible) return Gap(grammar);
  if (policy == WhitespacePolicy::kCompact) return grammar.Empty();
  return NewLine(grammar, "", indent * depth);
}

ExprId Layout::BeforeClose(Grammar& grammar, int depth) const {
  if (policy == WhitespacePolicy::kFlexible) return Gap(grammar);
  if (policy == WhitespacePolicy::kCompact) return grammar.Empty();
  return NewLine(grammar, "", indent * (depth - 1));
}

ExprId Layout::Comma(Grammar& grammar, int depth) const {
  if (policy == WhitespacePolicy::kFlexible) {
    return grammar.Sequence({Gap(grammar), grammar.Bytes(","), Gap(grammar)});
  }
  if (policy == WhitespacePolicy::kCompact) return grammar.Bytes(item_separator);
  return NewLine(grammar, ",", indent * depth);
}

ExprId Layout::Colon(Grammar& grammar) const {
  if (policy == WhitespacePolicy::kFlexible) {
    return grammar.Sequence({Gap(grammar), grammar.Bytes(":"), Gap(grammar)});
  }
  return grammar.Bytes(policy == WhitespacePolicy::kCompact ? key_separator : ": ");
}

ExprId Layout::InEmpty(Grammar& grammar) const {
  return policy == WhitespacePolicy::kFlexible ? Gap(grammar) : grammar.Empty();
}

}  // namespace sglrun::grammar
