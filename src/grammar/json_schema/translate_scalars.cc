// type, enum, const, and the keywords of numbers and strings.
#include <utility>

#include "grammar/base/json_text.h"
#include "grammar/json_schema/format_patterns.h"
#include "grammar/json_schema/translate.h"

namespace sglrun::grammar {
namespace {

KindSet KindsOfType(const std::string& name) {
  if (name == "null") return Only(Kind::kNull);
  if (name == "boolean") return Only(Kind::kFalse) | Only(Kind::kTrue);
  if (name == "string") return Only(Kind::kString);
  if (name == "array") return Only(Kind::kArray);
  if (name == "object") return Only(Kind::kObject);
  return Only(Kind::kNumber);
}

}  // namespace

void Translator::AddTypes(const Here& here) {
  const Json* type = here.schema.Find("type");
  if (type == nullptr) return;
  KindSet kinds = 0;
  bool integer = false, number = false;
  const auto add = [&](const std::string& name) {
    kinds |= KindsOfType(name);
    integer |= name == "integer";
    number |= name == "number";
  };
  if (type->is_string()) {
    add(type->as_string());
  } else {
    for (const Json& name : type->as_array()) add(name.as_string());
  }
  here.parts.push_back(formulas_.Kinds(kinds));
  if (integer && !number) {
    NumberConstraints constraints;
    constraints.integer = true;
    here.parts.push_back(formulas_.Add(formula::Number{std::move(constraints), here.place}));
  }
}

void Translator::AddValues(const Here& here) {
  if (const Json* values = here.schema.Find("enum")) {
    formula::Values all;
    for (const Json& value : values->as_array()) all.values.push_back(&value);
    here.parts.push_back(all.values.empty() ? kFalse : formulas_.Add(std::move(all)));
  }
  if (const Json* value = here.schema.Find("const")) {
    here.parts.push_back(formulas_.Add(formula::Values{{value}}));
  }
}

Result<void, GrammarError> Translator::AddNumbers(const Here& here) {
  NumberConstraints all;
  bool any = false;
  const auto bound = [&](const char* keyword, bool is_min,
                         bool exclusive) -> Result<void, GrammarError> {
    const Json* value = here.schema.Find(keyword);
    if (value == nullptr || !value->is_number()) return {};
    auto decimal = DecimalOf(*value);
    if (!decimal.ok()) {
      return document_.ErrorAt(here.place, keyword, decimal.error().verdict,
                               "cannot be used: " + decimal.error().message);
    }
    NumberConstraints one;
    (is_min ? one.min : one.max) = NumberBound{std::move(decimal).value(), exclusive};
    all = Conjoin(all, one);
    any = true;
    return {};
  };
  // Draft 4: a boolean beside the bound makes it exclusive.
  const auto is_true = [&](const char* keyword) {
    const Json* value = here.schema.Find(keyword);
    return value != nullptr && value->is_bool() && value->as_bool();
  };
  SGLRUN_RETURN_IF_ERROR(bound("minimum", true, is_true("exclusiveMinimum")));
  SGLRUN_RETURN_IF_ERROR(bound("maximum", false, is_true("exclusiveMaximum")));
  SGLRUN_RETURN_IF_ERROR(bound("exclusiveMinimum", true, true));
  SGLRUN_RETURN_IF_ERROR(bound("exclusiveMaximum", false, true));
  if (const Json* value = here.schema.Find("multipleOf")) {
    auto decimal = DecimalOf(*value);
    auto step = decimal.ok() ? Step::From(*decimal)
                             : Result<Step, GrammarError>(std::move(decimal).error());
    if (!step.ok()) {
      return document_.ErrorAt(here.place, "multipleOf", step.error().verdict,
                               "cannot be used: " + step.error().message);
    }
    all.multiple_of.push_back(*step);
    any = true;
  }
  if (any) here.parts.push_back(formulas_.Add(formula::Number{std::move(all), here.place}));
  return {};
}

void Translator::AddStrings(const Here& here) {
  const Json* min = here.schema.Find("minLength");
  const Json* max = here.schema.Find("maxLength");
  if (min != nullptr || max != nullptr) {
    StringConstraints lengths;
    if (min != nullptr) lengths.min_length = CountOf(*min);
    if (max != nullptr) lengths.max_length = CountOf(*max);
    here.parts.push_back(formulas_.Add(formula::Text{std::move(lengths), here.place, ""}));
  }
  if (const Json* pattern = here.schema.Find("pattern")) {
    StringConstraints constraints;
    constraints.patterns.push_back(pattern->as_string());
    here.parts.push_back(
        formulas_.Add(formula::Text{std::move(constraints), here.place, "pattern"}));
  }
  AddFormat(here);
  AddContent(here);
}

void Translator::AddFormat(const Here& here) {
  const Json* value = here.schema.Find("format");
  if (value == nullptr || !front_.options.assert_format) return;
  const std::string& name = value->as_string();
  switch (KindOfFormat(name)) {
    case FormatKind::kString: {
      StringConstraints constraints;
      constraints.formats.push_back(name);
      here.parts.push_back(
          formulas_.Add(formula::Text{std::move(constraints), here.place, "format"}));
      return;
    }
    case FormatKind::kNumber: {
      NumberConstraints numbers = FormatNumbers(name);
      if (numbers == NumberConstraints{}) return;
      here.parts.push_back(formulas_.Add(formula::Number{std::move(numbers), here.place}));
      return;
    }
    case FormatKind::kUnknown:
      ReportOnce(front_.report.notes, document_.Pointer(here.place, "format") +
                                          ": unknown format \"" + name + "\" is ignored");
      return;
  }
}

// Content is an annotation, but in draft 7 validators may enforce it like formats.
void Translator::AddContent(const Here& here) {
  if (!front_.options.assert_format || document_.draft(here.place) != SchemaDraft::k7) return;
  const auto says = [&](const char* keyword, std::string_view value) {
    const Json* given = here.schema.Find(keyword);
    return given != nullptr && given->as_string() == value;
  };
  const auto refuse = [&](const char* keyword, const char* reason) {
    here.parts.push_back(
        formulas_.Add(formula::Unenforceable{Only(Kind::kString), here.place, keyword, reason}));
  };
  if (says("contentMediaType", "application/json")) {
    refuse("contentMediaType", "\"application/json\" cannot be enforced in draft 7; drop it");
  }
  if (!says("contentEncoding", "base64")) return;
  if (here.stance != Stance::kAsserted) {
    return refuse("contentEncoding",
                  "\"base64\" is enforced by some validators of draft 7 and not by others: it "
                  "cannot be used under not, oneOf or if");
  }
  StringConstraints constraints;
  constraints.patterns.push_back("^(?:" + Base64Pattern() + ")$");
  here.parts.push_back(
      formulas_.Add(formula::Text{std::move(constraints), here.place, "contentEncoding"}));
}

}  // namespace sglrun::grammar
