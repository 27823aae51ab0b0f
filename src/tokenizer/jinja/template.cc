#include "tokenizer/jinja/template.h"

#include <algorithm>

#include "tokenizer/jinja/evaluator.h"
#include "tokenizer/jinja/functions.h"
#include "tokenizer/jinja/number.h"
#include "tokenizer/jinja/parser.h"
#include "tokenizer/jinja/resolver.h"

namespace sglrun::tokenizer::jinja {
namespace {

Value FromNumberText(const std::string& text, double value) {
  const bool whole = text.find_first_of(".eE") == std::string::npos;
  if (const std::optional<Value> integer = whole ? ParseInt(text, 10) : std::nullopt) {
    return *integer;
  }
  return Value::Float(value);
}

// A word that can hold no special token. Templates build theirs around roles: "<|user|>".
bool IsPlainWord(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

Value FromText(const std::string& text, Origin origin) {
  auto value = MakeRef<String>(text);
  if (origin == Origin::kUser && !IsPlainWord(text)) value->user.push_back({0, text.size()});
  return {Kind::kString, value};
}

}  // namespace

Value FromJson(const Json& json, Origin origin) {
  if (json.is_null()) return Value::None();
  if (json.is_bool()) return Value::Bool(json.as_bool());
  if (json.is_int()) return Value::Int(json.as_int());
  if (json.is_double()) return Value::Float(json.as_double());
  if (json.is_number_text()) return FromNumberText(json.number_text(), json.as_double());
  if (json.is_string()) return FromText(json.as_string(), origin);
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json.as_array()) items.push_back(FromJson(item, origin));
    return Value::List(std::move(items));
  }
  auto dict = MakeRef<Dict>();
  for (const auto& [key, value] : json.as_object()) dict->Set(key, FromJson(value, origin));
  return MakeDict(dict);
}

Try<Template> Template::Parse(std::string_view source) {
  SGLRUN_ASSIGN_OR_RETURN(Body body, jinja::Parse(source));
  SGLRUN_ASSIGN_OR_RETURN(ResolvedTemplate resolved, Resolve(std::move(body)));
  return Template(std::make_shared<const ResolvedTemplate>(std::move(resolved)));
}

Try<Rendered> Template::Render(const Dict& variables, const std::tm& now,
                               const Limits& limits) const {
  Runtime runtime(limits, now);
  Dict globals;
  AddFunctions(globals);
  for (const Dict::Entry& entry : variables.entries()) {
    SGLRUN_RETURN_IF_ERROR(globals.Set(entry.key, entry.value));
  }
  Evaluator evaluator(runtime, *resolved_, globals);
  SGLRUN_ASSIGN_OR_RETURN(const Value text, evaluator.Render());
  return Rendered{text.text(), text.str().user};
}

}  // namespace sglrun::tokenizer::jinja
