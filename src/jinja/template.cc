#include "jinja/template.h"

#include <algorithm>

#include "jinja/evaluator.h"
#include "jinja/functions.h"
#include "jinja/number.h"
#include "jinja/parser.h"
#include "jinja/resolver.h"

namespace sglrun::jinja {
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
  std::vector<TextRange> user;
  if (origin == Origin::kUser && !IsPlainWord(text)) user.push_back({0, text.size()});
  return {Kind::kString, MakeRef<String>(text, std::move(user))};
}

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

// The result of `work`, or the limit that it exceeded.
template <class Work>
auto WithinLimits(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (LimitReached& reached) {
    return std::move(reached.fault);
  }
}

Try<ResolvedTemplate> ParseMetered(std::string_view source) {
  SGLRUN_ASSIGN_OR_RETURN(Body body, jinja::Parse(source));
  return Resolve(std::move(body));
}

Try<Rendered> RenderMetered(const ResolvedTemplate& resolved, std::span<const Given> variables,
                            const std::tm& now, const Limits& limits) {
  Runtime runtime(limits, now, variables);
  Dict globals;
  AddFunctions(globals);
  for (const Given& one : variables) globals.Set(one.name, FromJson(one.value, one.origin));
  Evaluator evaluator(runtime, resolved, globals);
  SGLRUN_ASSIGN_OR_RETURN(const Value text, evaluator.Render());
  return Rendered{text.text(), text.str().user};
}

}  // namespace

Try<Template> Template::Parse(std::string_view source, const Limits& limits) {
  return WithinLimits([&]() -> Try<Template> {
    // The parsed objects outlive the meter; their number is limited by the size of the source.
    const Meter meter(limits, Meter::Memory::kNotCounted);
    SGLRUN_ASSIGN_OR_RETURN(ResolvedTemplate resolved, ParseMetered(source));
    return Template(std::make_shared<const ResolvedTemplate>(std::move(resolved)));
  });
}

Try<Rendered> Template::Render(std::span<const Given> variables, const std::tm& now,
                               const Limits& limits) const {
  return WithinLimits([&] {
    const Meter meter(limits);
    return RenderMetered(*resolved_, variables, now, limits);
  });
}

}  // namespace sglrun::jinja
