#include "grammar/json_schema/excluded_texts.h"

#include <algorithm>
#include <utility>

#include "grammar/automaton/dfa.h"
#include "grammar/ir/bounded_text.h"
#include "grammar/json_schema/value_spelling.h"

namespace sglrun::grammar {
namespace {

Dfa AnyBytes() {
  return {.states = {{.edges = {{0, 0xFF, 0}}, .accepting = true}}};
}

// The byte strings in which one of the texts occurs.
DfaResult BytesWith(const std::vector<std::string>& texts, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(const Dfa begin, Concatenate(AnyBytes(), ByteWords(texts), budget));
  return Concatenate(begin, AnyBytes(), budget);
}

}  // namespace

bool ExcludedTexts::AreIn(std::string_view written) const {
  return std::ranges::any_of(
      texts_, [&](const auto& text) { return written.find(text) != std::string_view::npos; });
}

// Recursion ends with the nesting that a schema may have.
bool ExcludedTexts::AreInValue(const Json& value) const {
  const auto in_string = [&](const std::string& text) {
    const std::string written = SpellString(text);
    return AreIn(std::string_view(written).substr(1, written.size() - 2));
  };
  if (value.is_string()) return in_string(value.as_string());
  if (value.is_array()) {
    return std::ranges::any_of(value.as_array(),
                               [&](const Json& item) { return AreInValue(item); });
  }
  return value.is_object() && std::ranges::any_of(value.as_object(), [&](const Json::Member& m) {
           return in_string(m.first) || AreInValue(m.second);
         });
}

ExprResult ExcludedTexts::Without(FrontEnd& front, ExprId quoted) const {
  const auto* parts = std::get_if<node::Sequence>(&front.grammar.expr(quoted));
  if (none() || parts == nullptr || parts->items.size() != 3) return quoted;
  const ExprId open = parts->items[0], body = parts->items[1], close = parts->items[2];
  const auto any_call = [](RuleId) { return Result<void, GrammarError>(); };
  SGLRUN_ASSIGN_OR_RETURN(const Dfa texts, RegularLanguage(front, body, any_call));
  SGLRUN_ASSIGN_OR_RETURN(const Dfa bad, BytesWith(texts_, front.budget));
  SGLRUN_ASSIGN_OR_RETURN(Dfa good, Subtract(texts, bad, front.budget));
  if (IsEmpty(good)) return front.grammar.Never();
  return front.grammar.Sequence({open, front.grammar.Regular(std::move(good)), close});
}

}  // namespace sglrun::grammar
