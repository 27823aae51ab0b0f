// The document around the formats: which of the two shapes it has.
#include <string>

#include "base/json.h"
#include "grammar/ir/front_end.h"
#include "grammar/structural_tag/format.h"

namespace sglrun::grammar {

ExprResult AppendStructuralTag(FrontEnd& front, std::string_view text) {
  const Limits& limits = front.budget.limits();
  if (text.size() > limits.text_bytes) {
    return GrammarError{Verdict::kTooLarge, "the structural tag has " +
                                                std::to_string(text.size()) + " bytes, at most " +
                                                std::to_string(limits.text_bytes) +
                                                " are possible"};
  }
  // Numbers keep their text: schemas inside read bounds of any length.
  const auto parsed = ParseJson(text, {.max_depth = limits.nesting, .keep_number_text = true});
  if (!parsed.ok()) {
    const JsonError& error = parsed.error();
    return GrammarError{error.too_deep ? Verdict::kTooLarge : Verdict::kInvalid,
                        "the structural tag is not JSON: " + error.message + " at byte " +
                            std::to_string(error.offset)};
  }
  for (const std::string& key : parsed->duplicate_keys) {
    front.report.notes.push_back(
        "the key \"" + key +
        "\" occurs twice in one object of the structural tag; the last one is used");
  }
  const tag::Node root(parsed->value, "");
  if (!root.json().is_object()) return root.Expected("an object");
  tag::Builder builder(front);
  const bool legacy = !root.Find("structures").json().is_null();
  const bool typed = !root.Find("format").json().is_null();
  if (legacy == typed) {
    return root.Invalid(legacy ? "\"structures\" and \"format\" exclude each other"
                               : "one of the fields \"format\" and \"structures\" is needed");
  }
  if (legacy) return builder.Legacy(root);
  SGLRUN_ASSIGN_OR_RETURN(const auto document, tag::ReadFields<tag::TypedDocument>(root));
  return builder.Format(document.format.value, {});
}

}  // namespace sglrun::grammar
