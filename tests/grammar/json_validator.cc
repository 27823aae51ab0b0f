#include "json_validator.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <arpa/inet.h>
#include <pcre2.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "plain_number.h"
#include "schema_index.h"

namespace sglrun::grammar {
namespace {

bool Equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    return PlainNumber::Read(a.number_text()).Compare(PlainNumber::Read(b.number_text())) == 0;
  }
  if (a.is_array() && b.is_array()) {
    if (a.as_array().size() != b.as_array().size()) return false;
    for (std::size_t i = 0; i < a.as_array().size(); ++i) {
      if (!Equal(a.as_array()[i], b.as_array()[i])) return false;
    }
    return true;
  }
  if (a.is_object() && b.is_object()) {
    if (a.as_object().size() != b.as_object().size()) return false;
    for (const auto& [key, value] : a.as_object()) {
      const Json* other = b.Find(key);
      if (other == nullptr || !Equal(value, *other)) return false;
    }
    return true;
  }
  if (a.is_string() && b.is_string()) return a.as_string() == b.as_string();
  if (a.is_bool() && b.is_bool()) return a.as_bool() == b.as_bool();
  return a.is_null() && b.is_null();
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_bool();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (!value.is_number()) return false;
  return type == "number" ||
         (type == "integer" && PlainNumber::Read(value.number_text()).IsInteger());
}

// PCRE2 knows general categories by their short names.
std::string WithShortCategories(std::string pattern) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"{Letter}", "{L}"},
                                 {"{digit}", "{Nd}"},
                                 {"{Number}", "{N}"}}) {
    for (std::size_t at = 0; (at = pattern.find(from, at)) != std::string::npos;) {
      pattern.replace(at, from.size(), to);
    }
  }
  return pattern;
}

// -1: PCRE2 refuses the pattern.
int Matches(const std::string& pattern, const std::string& text) {
  const std::string shortened = WithShortCategories(pattern);
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* compiled =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(shortened.data()), shortened.size(),
                    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS,
                    &code, &offset, context);
  pcre2_compile_context_free(context);
  if (compiled == nullptr) return -1;
  pcre2_match_data* data = pcre2_match_data_create_from_pattern(compiled, nullptr);
  const int found = pcre2_match(compiled, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                                0, data, nullptr);
  pcre2_match_data_free(data);
  pcre2_code_free(compiled);
  return found >= 0 ? 1 : 0;
}

bool IsDate(const std::string& text) {
  if (Matches(R"(^\d{4}-\d\d-\d\d$)", text) != 1) return false;
  const int year = std::atoi(text.c_str());
  const int month = std::atoi(text.c_str() + 5), day = std::atoi(text.c_str() + 8);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

bool IsTime(const std::string& text) {
  if (Matches(R"(^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$)", text) != 1) return false;
  const auto two = [](const std::string& from, std::size_t at) {
    return std::atoi(from.substr(at, 2).c_str());
  };
  const int hour = two(text, 0), minute = two(text, 3), second = two(text, 6);
  int offset = 0;
  if (const char last = text.back(); last != 'Z' && last != 'z') {
    const std::string zone = text.substr(text.size() - 6);
    if (two(zone, 1) > 23 || two(zone, 4) > 59) return false;
    offset = (zone[0] == '-' ? -1 : 1) * (two(zone, 1) * 60 + two(zone, 4));
  }
  if (hour > 23 || minute > 59 || second > 60) return false;
  return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 == 1439;
}

bool HasFormat(const std::string& format, const std::string& text) {
  unsigned char address[16];
  if (format == "date") return IsDate(text);
  if (format == "time") return IsTime(text);
  if (format == "date-time") {
    return text.size() > 11 && IsDate(text.substr(0, 10)) && (text[10] == 'T' || text[10] == 't') &&
           IsTime(text.substr(11));
  }
  if (format == "ipv4") return inet_pton(AF_INET, text.c_str(), address) == 1;
  if (format == "ipv6") return inet_pton(AF_INET6, text.c_str(), address) == 1;
  if (format == "uuid") {
    return Matches("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", text) == 1;
  }
  return true;
}

struct Evaluated {
  std::set<std::string> keys;
  std::set<std::size_t> items;

  void Add(const Evaluated& other) {
    keys.insert(other.keys.begin(), other.keys.end());
    items.insert(other.items.begin(), other.items.end());
  }
};

class Evaluation {
 public:
  Evaluation(const SchemaIndex& index, JsonValidator::Options options, std::string& error)
      : index_(index), options_(options), error_(error) {}

  bool Run(const Json& instance) {
    Evaluated ignored;
    return Holds(index_.root(), instance, ignored);
  }

 private:
  using Place = SchemaIndex::Place;
  static constexpr int kDeepest = 300;  // frames are large under sanitizers

  // One schema object applied to one value, with what it evaluates.
  struct At {
    const Json& schema;
    const std::string& base;
    const Json& instance;
    Evaluated& done;

    const Json* Keyword(const char* name) const { return schema.Find(name); }
  };

  bool Fault(const std::string& what) {
    if (error_.empty()) error_ = what;
    return false;
  }
  bool Before(Draft draft) const { return index_.draft() < draft; }

  bool Holds(const Place& place, const Json& instance, Evaluated& done) {
    const Json& schema = *place.schema;
    if (schema.is_bool()) return schema.as_bool();
    if (!schema.is_object()) return Fault("a schema that is neither object nor boolean");
    if (++depth_ > kDeepest) {
      --depth_;
      return Fault("references without end");
    }
    scope_.push_back(place.base);
    Evaluated mine;
    const At at{schema, place.base, instance, mine};
    const bool only_reference = Before(Draft::k201909) && at.Keyword("$ref") != nullptr;
    const bool holds =
        References(at) &&
        (only_reference || (Assertions(at) && Numbers(at) && Strings(at) && Objects(at) &&
                            Arrays(at) && Combinators(at) && Unevaluated(at)));
    scope_.pop_back();
    --depth_;
    if (holds) done.Add(mine);
    return holds;
  }

  bool Sub(const At& at, const Json& schema, const Json& instance, Evaluated& done) {
    return Holds({&schema, index_.BaseOf(schema, at.base)}, instance, done);
  }
  // Of a member or item: what is evaluated inside it is nobody's business outside.
  bool SubInside(const At& at, const Json& schema, const Json& instance) {
    Evaluated ignored;
    return Sub(at, schema, instance, ignored);
  }

  bool Follow(const At& at, const std::string& reference) {
    const Place target = index_.Resolve(reference, at.base);
    if (target.schema == nullptr) return Fault("no target for $ref " + reference);
    return Holds(target, at.instance, at.done);
  }

  bool References(const At& at) {
    if (const Json* ref = at.Keyword("$ref"); ref != nullptr && ref->is_string()) {
      if (!Follow(at, ref->as_string())) return false;
    }
    if (const Json* ref = at.Keyword("$dynamicRef"); ref != nullptr) {
      return DynamicReference(at, ref->as_string());
    }
    if (const Json* ref = at.Keyword("$recursiveRef"); ref != nullptr) {
      return RecursiveReference(at, ref->as_string());
    }
    return true;
  }

  bool DynamicReference(const At& at, const std::string& reference) {
    const Place target = index_.Resolve(reference, at.base);
    const std::string name = reference.substr(std::min(reference.find('#') + 1, reference.size()));
    if (target.schema != nullptr && index_.DynamicAnchor(target.base, name) == target.schema) {
      for (const std::string& base : scope_) {  // the outermost wins
        if (const Json* schema = index_.DynamicAnchor(base, name)) {
          return Holds({schema, base}, at.instance, at.done);
        }
      }
    }
    return Follow(at, reference);
  }

  bool RecursiveReference(const At& at, const std::string& reference) {
    const auto recursive = [&](const Json* resource) {
      const Json* anchor = resource == nullptr ? nullptr : resource->Find("$recursiveAnchor");
      return anchor != nullptr && anchor->is_bool() && anchor->as_bool();
    };
    if (recursive(index_.Resource(at.base))) {
      for (const std::string& base : scope_) {
        const Json* resource = index_.Resource(base);
        if (recursive(resource)) return Holds({resource, base}, at.instance, at.done);
      }
    }
    return Follow(at, reference);
  }

  bool Assertions(const At& at) {
    if (const Json* type = at.Keyword("type")) {
      bool any = type->is_string() && HasType(at.instance, type->as_string());
      if (type->is_array()) {
        for (const Json& name : type->as_array()) any |= HasType(at.instance, name.as_string());
      }
      if (!any) return false;
    }
    if (const Json* values = at.Keyword("enum")) {
      bool any = false;
      for (const Json& value : values->as_array()) any |= Equal(value, at.instance);
      if (!any) return false;
    }
    const Json* constant = at.Keyword("const");
    return constant == nullptr || Equal(*constant, at.instance);
  }

  bool Numbers(const At& at) {
    if (!at.instance.is_number()) return true;
    const PlainNumber value = PlainNumber::Read(at.instance.number_text());
    const auto compare = [&](const Json& bound) {
      return value.Compare(PlainNumber::Read(bound.number_text()));
    };
    const Json* min_exclusive = at.Keyword("exclusiveMinimum");
    const Json* max_exclusive = at.Keyword("exclusiveMaximum");
    const auto flag = [](const Json* k) { return k != nullptr && k->is_bool() && k->as_bool(); };
    if (const Json* k = at.Keyword("minimum")) {
      if (flag(min_exclusive) ? compare(*k) <= 0 : compare(*k) < 0) return false;
    }
    if (const Json* k = at.Keyword("maximum")) {
      if (flag(max_exclusive) ? compare(*k) >= 0 : compare(*k) > 0) return false;
    }
    if (min_exclusive != nullptr && min_exclusive->is_number() && compare(*min_exclusive) <= 0) {
      return false;
    }
    if (max_exclusive != nullptr && max_exclusive->is_number() && compare(*max_exclusive) >= 0) {
      return false;
    }
    const Json* step = at.Keyword("multipleOf");
    return step == nullptr || value.IsMultipleOf(PlainNumber::Read(step->number_text()));
  }

  // Whether `size` keeps the two bounds.
  bool Within(const At& at, const char* min, const char* max, std::size_t size) {
    const PlainNumber count = PlainNumber::Read(std::to_string(size));
    if (const Json* k = at.Keyword(min)) {
      if (count.Compare(PlainNumber::Read(k->number_text())) < 0) return false;
    }
    const Json* k = at.Keyword(max);
    return k == nullptr || count.Compare(PlainNumber::Read(k->number_text())) <= 0;
  }

  bool Search(const std::string& pattern, const std::string& text) {
    const int found = Matches(pattern, text);
    if (found < 0) Fault("PCRE2 refuses the pattern " + pattern);
    return found > 0;
  }

  bool Strings(const At& at) {
    if (!at.instance.is_string()) return true;
    const std::string& text = at.instance.as_string();
    if (!Within(at, "minLength", "maxLength", CountCodePoints(text))) return false;
    const Json* pattern = at.Keyword("pattern");
    if (pattern != nullptr && !Search(pattern->as_string(), text)) return false;
    const Json* format = at.Keyword("format");
    return !options_.assert_format || format == nullptr || HasFormat(format->as_string(), text);
  }

  bool Objects(const At& at) {
    if (!at.instance.is_object()) return true;
    return Within(at, "minProperties", "maxProperties", at.instance.as_object().size()) &&
           Required(at, at.Keyword("required")) && Members(at) && Dependencies(at);
  }

  static bool Required(const At& at, const Json* names) {
    if (names == nullptr || !names->is_array()) return true;  // a boolean in draft 3
    for (const Json& name : names->as_array()) {
      if (at.instance.Find(name.as_string()) == nullptr) return false;
    }
    return true;
  }

  bool Members(const At& at) {
    const Json* properties = at.Keyword("properties");
    const Json* patterns = at.Keyword("patternProperties");
    const Json* additional = at.Keyword("additionalProperties");
    const Json* names = at.Keyword("propertyNames");
    for (const auto& [key, value] : at.instance.as_object()) {
      if (names != nullptr && !SubInside(at, *names, Json(key))) return false;
      bool known = false;
      if (const Json* schema = properties == nullptr ? nullptr : properties->Find(key)) {
        known = true;
        if (!SubInside(at, *schema, value)) return false;
      }
      for (const auto& [pattern, schema] :
           patterns == nullptr ? Json::Object() : patterns->as_object()) {
        if (!Search(pattern, key)) continue;
        known = true;
        if (!SubInside(at, schema, value)) return false;
      }
      if (!known && additional != nullptr) {
        known = true;
        if (!SubInside(at, *additional, value)) return false;
      }
      if (known) at.done.keys.insert(key);
    }
    return true;
  }

  bool Dependencies(const At& at) {
    for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
      const Json* all = at.Keyword(keyword);
      if (all == nullptr) continue;
      for (const auto& [key, needed] : all->as_object()) {
        if (at.instance.Find(key) == nullptr) continue;
        const bool holds =
            needed.is_array() ? Required(at, &needed) : Sub(at, needed, at.instance, at.done);
        if (!holds) return false;
      }
    }
    return true;
  }

  bool Arrays(const At& at) {
    if (!at.instance.is_array()) return true;
    const Json::Array& items = at.instance.as_array();
    const Json* unique = at.Keyword("uniqueItems");
    if (unique != nullptr && unique->as_bool()) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (Equal(items[i], items[j])) return false;
        }
      }
    }
    return Within(at, "minItems", "maxItems", items.size()) && Items(at) && Contains(at);
  }

  bool Items(const At& at) {
    const Json::Array& values = at.instance.as_array();
    const Json* items = at.Keyword("items");
    const bool tuple = items != nullptr && items->is_array();
    const Json* prefix = tuple ? items : at.Keyword("prefixItems");
    const Json* rest = tuple ? at.Keyword("additionalItems") : items;
    if (!tuple && Before(Draft::k202012)) prefix = nullptr;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool in_prefix = prefix != nullptr && i < prefix->as_array().size();
      const Json* schema = in_prefix ? &prefix->as_array()[i] : rest;
      if (schema == nullptr) continue;
      if (!SubInside(at, *schema, values[i])) return false;
      at.done.items.insert(i);
    }
    return true;
  }

  bool Contains(const At& at) {
    const Json* contains = at.Keyword("contains");
    if (contains == nullptr) return true;
    std::size_t count = 0;
    const Json::Array& values = at.instance.as_array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!SubInside(at, *contains, values[i])) continue;
      ++count;
      if (!Before(Draft::k202012)) at.done.items.insert(i);
    }
    const bool counted = !Before(Draft::k201909);
    if (counted && at.Keyword("minContains") == nullptr && count == 0) return false;
    if (!counted) return count > 0;
    return Within(at, "minContains", "maxContains", count);
  }

  bool Combinators(const At& at) {
    for (const Json& schema : List(at, "allOf")) {
      if (!Sub(at, schema, at.instance, at.done)) return false;
    }
    if (at.Keyword("anyOf") != nullptr && Count(at, "anyOf") == 0) return false;
    if (at.Keyword("oneOf") != nullptr && Count(at, "oneOf") != 1) return false;
    if (const Json* schema = at.Keyword("not"); schema != nullptr) {
      if (SubInside(at, *schema, at.instance)) return false;
    }
    const Json* condition = at.Keyword("if");
    if (condition == nullptr || Before(Draft::k7)) return true;
    const bool holds = Sub(at, *condition, at.instance, at.done);
    const Json* branch = at.Keyword(holds ? "then" : "else");
    return branch == nullptr || Sub(at, *branch, at.instance, at.done);
  }

  static const Json::Array& List(const At& at, const char* keyword) {
    static const Json::Array kNone;
    const Json* list = at.Keyword(keyword);
    return list == nullptr ? kNone : list->as_array();
  }

  int Count(const At& at, const char* keyword) {
    int count = 0;
    for (const Json& schema : List(at, keyword)) {
      count += Sub(at, schema, at.instance, at.done) ? 1 : 0;
    }
    return count;
  }

  bool Unevaluated(const At& at) {
    const Json* keys = at.Keyword("unevaluatedProperties");
    if (keys != nullptr && at.instance.is_object() && !Before(Draft::k201909)) {
      for (const auto& [key, value] : at.instance.as_object()) {
        if (at.done.keys.contains(key)) continue;
        if (!SubInside(at, *keys, value)) return false;
        at.done.keys.insert(key);
      }
    }
    const Json* items = at.Keyword("unevaluatedItems");
    if (items != nullptr && at.instance.is_array() && !Before(Draft::k201909)) {
      for (std::size_t i = 0; i < at.instance.as_array().size(); ++i) {
        if (at.done.items.contains(i)) continue;
        if (!SubInside(at, *items, at.instance.as_array()[i])) return false;
        at.done.items.insert(i);
      }
    }
    return true;
  }

  const SchemaIndex& index_;
  const JsonValidator::Options options_;
  std::string& error_;
  std::vector<std::string> scope_;  // addresses, outermost first
  int depth_ = 0;
};

}  // namespace

JsonValidator::JsonValidator(std::string_view schema_text, Options options) : options_(options) {
  Result<ParsedJson, JsonError> parsed = ParseJson(schema_text, {.keep_number_text = true});
  if (!parsed.ok()) {
    error_ = "the schema is not valid JSON: " + parsed.error().message;
  } else {
    index_ = std::make_unique<SchemaIndex>(std::move(parsed->value));
  }
}

JsonValidator::~JsonValidator() = default;

bool JsonValidator::IsValid(std::string_view instance_text) const {
  const Result<ParsedJson, JsonError> parsed =
      ParseJson(instance_text, {.max_depth = 1000, .keep_number_text = true});
  if (!parsed.ok() || index_ == nullptr) return false;
  return Evaluation(*index_, options_, error_).Run(parsed->value);
}

}  // namespace sglrun::grammar
