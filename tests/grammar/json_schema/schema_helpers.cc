#include "json_schema/schema_helpers.h"

namespace sglrun::grammar {

std::shared_ptr<const Vocabulary> SingleBytes() {
  static const auto kVocabulary = [] {
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    return std::make_shared<const Vocabulary>(texts, 256);
  }();
  return kVocabulary;
}

bool CompiledSchema::Accepts(std::string_view text) const {
  if (grammar == nullptr) return false;
  Matcher matcher(grammar, SingleBytes());
  return matcher.AcceptBytes(text) == text.size() && matcher.IsComplete();
}

GrammarOptions SpecMode() {
  GrammarOptions options;
  options.json_schema_mode = ClosingMode::kSpec;
  return options;
}

GrammarOptions StrictMode() {
  return {};
}

CompiledSchema CompileSchema(std::string_view schema, const GrammarOptions& options) {
  CompiledSchema result;
  Grammar grammar;
  Budget budget(options.limits);
  FrontEnd front{grammar, options, nullptr, budget, result.report};
  const auto fail = [&](const GrammarError& error) {
    result.verdict = VerdictName(error.verdict);
    result.message = error.message;
    result.pointer = error.pointer;
  };
  const ExprResult whole = AppendJsonSchema(front, schema);
  if (!whole.ok()) {
    fail(whole.error());
    return result;
  }
  const RuleId root = grammar.AddRule("root");
  grammar.Define(root, *whole);
  grammar.SetRoot(root);
  auto compiled = CompiledGrammar::Compile(grammar, budget);
  if (!compiled.ok()) {
    fail(compiled.error());
    return result;
  }
  result.verdict = "ok";
  result.grammar = *compiled;
  return result;
}

}  // namespace sglrun::grammar
