#include "grammar/compile/warm_up.h"

#include <string_view>
#include <vector>

#include "grammar/compile/constraint.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {

bool WarmUp(const std::shared_ptr<const Vocabulary>& vocabulary, const GrammarOptions& options) {
  constexpr std::string_view kSchema =
      R"({"type":"object","properties":{"string":{"type":"string"},"number":{"type":"number"},)"
      R"("integer":{"type":"integer"},"short":{"type":"string","maxLength":99},"list":)"
      R"({"type":"array","items":{"type":"string"},"maxItems":9},"any":true}})";
  constexpr std::string_view kText =
      "{\"string\": \"a\\n\xC3\xA9\", \"number\": -10.25e+1, \"integer\": -12, "
      "\"short\": \"ab\", \"list\": [\"ab\", \"ab\"], \"any\": [null, {\"a\": true}]}";
  const auto compiled =
      CompileConstraint({ConstraintKind::kJsonSchema, std::string(kSchema)}, options, vocabulary);
  if (!compiled.ok()) return false;
  Matcher matcher(compiled->grammar, vocabulary);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary->words_per_mask()));
  for (const char& byte : kText) {
    matcher.FillMask(words);
    if (matcher.AcceptBytes({&byte, 1}) == 0) return false;
  }
  return true;
}

}  // namespace sglrun::grammar
