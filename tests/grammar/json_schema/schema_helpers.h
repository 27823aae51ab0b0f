// Short ways to ask the JSON Schema front end, for its tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ir/front_end.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {

struct CompiledSchema {
  std::string verdict;  // "ok" or the name of a verdict
  std::string message, pointer;
  GrammarReport report;
  std::shared_ptr<const CompiledGrammar> grammar;

  bool Accepts(std::string_view text) const;
};

GrammarOptions SpecMode();
GrammarOptions StrictMode();

CompiledSchema CompileSchema(std::string_view schema, const GrammarOptions& options = SpecMode());

// A random member, or "" when the walk grew longer than `limit` bytes. `random` gives numbers below
// its argument.
template <class Random>
std::string RandomMember(const CompiledSchema& schema, std::size_t limit, Random&& random);

std::shared_ptr<const Vocabulary> SingleBytes();

template <class Random>
std::string RandomMember(const CompiledSchema& schema, std::size_t limit, Random&& random) {
  const std::shared_ptr<const Vocabulary> vocabulary = SingleBytes();
  Matcher matcher(schema.grammar, vocabulary);
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(vocabulary->words_per_mask()));
  std::string text;
  while (text.size() < limit) {
    // The longer the text, the sooner it ends where it may.
    if (matcher.IsComplete() && (!matcher.CanContinue() || random(limit) < text.size() + 1)) {
      return text;
    }
    matcher.FillMask(mask);
    std::vector<std::int32_t> allowed, closing;
    for (std::int32_t id = 0; id < 256; ++id) {
      if ((mask[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1U) == 0) continue;
      allowed.push_back(id);
      if (id == '"' || id == '}' || id == ']') closing.push_back(id);
    }
    if (allowed.empty()) return "";
    const bool hurry = !closing.empty() && random(limit) < 4 * text.size();
    const auto& choices = hurry ? closing : allowed;
    const std::int32_t id = choices[random(choices.size())];
    if (!matcher.AcceptToken(id)) return "";
    text += static_cast<char>(id);
  }
  return "";
}

}  // namespace sglrun::grammar
