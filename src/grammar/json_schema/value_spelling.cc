#include "grammar/json_schema/value_spelling.h"

#include <utility>

#include "grammar/automaton/dfa.h"
#include "grammar/base/json_text.h"

namespace sglrun::grammar {
namespace {

// Longer integers are spelled as the schema spells them only.
constexpr std::size_t kPlainDigits = 64;

// Collects what a choice of values consists of.
class Speller {
 public:
  Speller(FrontEnd& front, const Layout& layout) : front_(front), layout_(layout) {}

  ExprResult Choice(const std::vector<const Json*>& values, int depth) {
    std::vector<std::string> words;  // spellings that are single texts
    std::vector<ExprId> items;
    for (const Json* value : values) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("spelling enum values"));
      if (!value->is_array() && !value->is_object()) {
        AddScalar(*value, words);
        continue;
      }
      SGLRUN_ASSIGN_OR_RETURN(items.emplace_back(), Container(*value, depth));
    }
    if (words.size() == 1) {
      items.push_back(grammar().Bytes(words.front()));
    } else if (!words.empty()) {
      SGLRUN_RETURN_IF_ERROR(CheckWords(words, front_.budget.limits()));
      // One automaton: a choice of thousands of texts would be followed text by text.
      items.push_back(grammar().Regular(ByteWords(words)));
    }
    return items.empty() ? grammar().Never() : grammar().Choice(std::move(items));
  }

 private:
  Grammar& grammar() { return front_.grammar; }

  static void AddScalar(const Json& value, std::vector<std::string>& words) {
    words.push_back(value.Dump());
    if (!value.is_number()) return;
    const Result<Decimal, GrammarError> decimal = DecimalOf(value);
    if (!decimal.ok() || !decimal->IsInteger()) return;
    if (std::optional<std::string> plain = decimal->Plain(kPlainDigits)) {
      if (*plain != words.back()) words.push_back(*std::move(plain));
    }
  }

  // Recursion ends with the nesting that ParseSchemaText allows.
  ExprResult Container(const Json& value, int depth) {
    const bool is_array = value.is_array();
    const char* const brackets = is_array ? "[]" : "{}";
    std::vector<ExprId> parts{grammar().Bytes({brackets, 1})};
    const auto add = [&](ExprId part) { parts.push_back(part); };
    const std::size_t count = is_array ? value.as_array().size() : value.as_object().size();
    add(count == 0 ? layout_.InEmpty(grammar()) : layout_.AfterOpen(grammar(), depth + 1));
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) add(layout_.Comma(grammar(), depth + 1));
      if (!is_array) {
        add(grammar().Bytes(SpellString(value.as_object()[i].first)));
        add(layout_.Colon(grammar()));
      }
      const Json& item = is_array ? value.as_array()[i] : value.as_object()[i].second;
      SGLRUN_ASSIGN_OR_RETURN(const ExprId spelled, Choice({&item}, depth + 1));
      add(spelled);
    }
    if (count > 0) add(layout_.BeforeClose(grammar(), depth + 1));
    add(grammar().Bytes({brackets + 1, 1}));
    return grammar().Sequence(std::move(parts));
  }

  FrontEnd& front_;
  const Layout& layout_;
};

}  // namespace

ExprResult AppendValues(FrontEnd& front, const std::vector<const Json*>& values,
                        const Layout& layout, int depth) {
  return Speller(front, layout).Choice(values, depth);
}

Result<void, GrammarError> CheckWords(const std::vector<std::string>& words, const Limits& limits) {
  std::int64_t characters = 0;
  for (const std::string& word : words) characters += static_cast<std::int64_t>(word.size());
  if (characters <= limits.nodes) return {};
  return GrammarError{Verdict::kTooLarge, "enum or names have " + std::to_string(characters) +
                                              " bytes, at most " + std::to_string(limits.nodes) +
                                              " are allowed"};
}

std::string SpellString(std::string_view utf8) {
  std::string text;
  AppendJsonString(text, utf8);
  return text;
}

}  // namespace sglrun::grammar
